# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""act.py INPUT=VALUE... | act.py WORKFLOW JOB: runs the steps of action.yml as GitHub's runner does.

The action is used by a path, with these inputs or with those that the step of the job in WORKFLOW
has: so github.action_repository and github.action_ref are empty. What the runner sets
(RUNNER_TEMP, GITHUB_PATH, GITHUB_ENV) is in the environment; the variables of the project are in
VARS, as NAME=VALUE words.
"""
import os
import re
import subprocess
import sys

import yaml

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
GITHUB = {'server_url': 'https://github.com', 'action_repository': '', 'action_ref': ''}


def filled(text, contexts):
    """The text with the values of its expressions, which are all of the form CONTEXT.NAME."""
    def value(match):
        context, name = match.group(1).split('.')
        return contexts[context][name]
    return re.sub(r'\$\{\{ *(.*?) *\}\}', value, str(text))


def given(workflow, job):
    """The inputs that the job's step gives to the action, evaluated."""
    with open(workflow) as file:
        steps = yaml.safe_load(file)['jobs'][job]['steps']
    step, = [step for step in steps if step.get('uses', '').startswith('./')]
    contexts = {'github': GITHUB, 'vars': dict(word.split('=', 1) for word in os.environ['VARS'].split())}
    return {name: filled(text, contexts) for name, text in step['with'].items()}


def main(words):
    """Runs every step; ends with the status of the first that fails."""
    with open(os.path.join(ROOT, 'action.yml')) as file:
        action = yaml.safe_load(file)
    inputs = {name: row.get('default', '') for name, row in action['inputs'].items()}
    inputs.update(dict(word.split('=', 1) for word in words) if '=' in words[0] else given(*words))
    for step in action['runs']['steps']:
        contexts = {'github': GITHUB, 'inputs': inputs}
        env = {name: filled(text, contexts) for name, text in step.get('env', {}).items()}
        with open('step.sh', 'w') as script:
            script.write(filled(step['run'], contexts))
        done = subprocess.run(['bash', '--noprofile', '--norc', '-eo', 'pipefail', 'step.sh'], check=False,
                              env={**os.environ, **env, 'GITHUB_ACTION_PATH': ROOT})
        if done.returncode:
            sys.exit(done.returncode)


main(sys.argv[1:])
