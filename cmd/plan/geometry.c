/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "geometry.h"

#include <limits.h>
#include <string.h>

#include "action.h"
#include "buffers.h"
#include "cleanup.h"

enum { WARP = 32 };

const char *geometry_format(const unsigned dims[3], char text[40])
{
	if (dims[0])
		snprintf(text, 40, "%ux%ux%u", dims[0], dims[1], dims[2]);
	else
		snprintf(text, 40, "auto");
	return text;
}

void geometry_report(struct json *json, const struct launch *launch, const struct extent *extent)
{
	if (extent->grid[0]) {
		json_dims(json, "grid", extent->grid);
		json_dims(json, "block", extent->block);
	} else {
		json_unsigned(json, "threads", launch->threads);
		json_string(json, "block", "auto");
	}
	if (launch->cluster[0])
		json_dims(json, "cluster", launch->cluster);
	if (launch->cooperative)
		json_bool(json, "cooperative", true);
}

/* Reads X[,Y[,Z]], or with x between them. */
static int read_dims(const char *option, const char *text, unsigned dims[3],
		     struct err *e)
{
	const char *at = text;

	for (int i = 0; i < 3; i++) {
		size_t length = strcspn(at, ",x");
		uint64_t dim;

		if (size_parse(at, length, &dim, e))
			return err_wrap(e, "%s %s", option, text);
		if (!dim || dim > UINT_MAX)
			return err_set(e, GPURUN_INVALID,
				       "%s %s: %.*s is not a dimension", option, text,
				       (int)length, at);
		dims[i] = (unsigned)dim;
		at += length;
		if (!*at)
			return 0;
		at++;
	}
	return err_set(e, GPURUN_INVALID, "%s %s: more than three dimensions", option,
		       text);
}

static bool is_given(const unsigned dims[3])
{
	return dims[0] || dims[1] || dims[2];
}

static int check_block(const struct launch *launch, struct err *e)
{
	const struct kernel_info *info = launch->kernel->info;
	char have[40], want[40];
	uint64_t threads, most;

	geometry_format(launch->extent.block, have);
	if (is_given(info->required_block) &&
	    memcmp(info->required_block, launch->extent.block, sizeof(launch->extent.block))) {
		err_set(e, GPURUN_LAUNCH, "%s requires blocks of %s threads, not %s",
			launch->kernel->base, geometry_format(info->required_block, want),
			have);
		return err_hint(e, "leave --block out");
	}
	if (!size_mul(launch->extent.block[0], launch->extent.block[1], &threads) ||
	    !size_mul(threads, launch->extent.block[2], &threads))
		threads = UINT64_MAX;
	most = (uint64_t)info->max_block[0] * info->max_block[1] * info->max_block[2];
	if (most && threads > most)
		return err_set(e, GPURUN_LAUNCH,
			       "%s takes blocks of at most %llu threads, not %s",
			       launch->kernel->base, (unsigned long long)most, have);
	return 0;
}

/* A kernel that requires a block has no other, whatever is asked for. */
static bool is_auto(const struct launch *launch, const char *block)
{
	return block && !strcmp(block, "auto") &&
	       !is_given(launch->kernel->info->required_block);
}

static int read_block(struct launch *launch, const char *text, struct err *e)
{
	const unsigned *required = launch->kernel->info->required_block;

	for (int i = 0; i < 3; i++)
		launch->extent.block[i] = required[i] ? required[i] : 1;
	if (!text || !strcmp(text, "auto"))
		return 0;
	for (int i = 0; i < 3; i++)
		launch->extent.block[i] = 1;
	return read_dims("--block", text, launch->extent.block, e);
}

/* The cluster that a launch has: what is asked for, else what the kernel requires, else 0. */
static const unsigned *cluster_of(const struct launch *launch)
{
	return launch->cluster[0] ? launch->cluster : launch->kernel->info->cluster;
}

/* Fills in the grid of @extent, whose block is known, for @threads along x, y and z, each a
 * multiple of the cluster. */
static int spread_threads(const struct launch *launch, const uint64_t threads[3],
			  struct extent *extent, struct err *e)
{
	for (int i = 0; i < 3; i++) {
		uint64_t unit = cluster_of(launch)[i] ? cluster_of(launch)[i] : 1;
		uint64_t block = extent->block[i];
		uint64_t blocks = threads[i] / block + (threads[i] % block != 0);

		blocks = (blocks / unit + (blocks % unit != 0)) * unit;
		if (!blocks || blocks > UINT_MAX)
			return err_set(e, GPURUN_INVALID, "--threads %llu: a grid of %llu blocks",
				       (unsigned long long)threads[i], (unsigned long long)blocks);
		extent->grid[i] = (unsigned)blocks;
	}
	return 0;
}

/* Reads N, X,Y[,Z], the same with x between them, or len:BUF. */
static int read_counts(const struct plan *plan, const char *text, uint64_t threads[3],
		       struct err *e)
{
	size_t index;

	if (!strncmp(text, "len:", 4)) {
		TRY(buffer_find(plan, text + 4, &index, e));
		threads[0] = plan->buffers[index].shape.count;
		return 0;
	}
	for (int i = 0; i < 3; i++) {
		size_t length = strcspn(text, ",x");

		TRY(size_parse(text, length, &threads[i], e));
		if (!text[length])
			return 0;
		text += length + 1;
	}
	return err_set(e, GPURUN_INVALID, "more than three dimensions");
}

static int read_threads(const struct plan *plan, const struct launch *launch, const char *text,
			const char *grid, uint64_t threads[3], struct err *e)
{
	if (grid)
		return err_set(e, GPURUN_INVALID,
			       "--threads and --grid exclude each other");
	if (read_counts(plan, text, threads, e))
		return err_wrap(e, "--threads %s", text);
	if (strpbrk(text, ",x") || (launch->extent.block[1] == 1 && launch->extent.block[2] == 1))
		return 0;
	err_set(e, GPURUN_INVALID, "--threads %s counts along x alone; the block is %ux%ux%u", text,
		launch->extent.block[0], launch->extent.block[1], launch->extent.block[2]);
	return err_hint(e, "say how many along y, too: --threads %sx%u", text,
			launch->extent.block[1]);
}

static int check_cluster(const struct launch *launch, const unsigned blocks[3], struct err *e)
{
	const unsigned *required = launch->kernel->info->cluster, *cluster = cluster_of(launch);
	const char *name = launch->kernel->base;
	char grid[40], have[40], want[40];

	geometry_format(cluster, have);
	if (is_given(required) && memcmp(required, cluster, sizeof(launch->cluster))) {
		err_set(e, GPURUN_LAUNCH, "%s requires clusters of %s blocks, not %s", name,
			geometry_format(required, want), have);
		return err_hint(e, "leave --cluster out");
	}
	for (int i = 0; i < 3; i++) {
		if (!cluster[i] || blocks[i] % cluster[i] == 0)
			continue;
		geometry_format(blocks, grid);
		if (launch->cluster[0])
			return err_set(e, GPURUN_LAUNCH,
				       "--cluster %s does not divide the grid of %s blocks", have,
				       grid);
		return err_set(e, GPURUN_LAUNCH, "%s requires clusters of %s blocks, which do not "
			       "divide the grid of %s", name, have, grid);
	}
	return 0;
}

/* Leaves grid and block open, to be settled when the device is known. */
static int leave_open(struct launch *launch, const uint64_t threads[3], struct err *e)
{
	if (threads[1] != 1 || threads[2] != 1)
		return err_set(e, GPURUN_INVALID, "--block auto needs --threads along x alone");
	if (!threads[0]) {
		err_set(e, GPURUN_INVALID, "--block auto needs --threads");
		return err_hint(e, "--threads N says how many threads there are to divide");
	}
	launch->threads = threads[0];
	launch->extent = (struct extent){ 0 };
	return 0;
}

static int read_shared(struct launch *launch, const char *text, struct err *e)
{
	uint64_t bytes;

	if (size_parse(text, strlen(text), &bytes, e))
		return err_wrap(e, "--shared");
	if (bytes > INT_MAX)
		return err_set(e, GPURUN_INVALID, "--shared %s: more than any device has",
			       text);
	launch->shared = (unsigned)bytes;
	return 0;
}

static int read_cluster(struct launch *launch, const char *text, struct err *e)
{
	if (!text)
		return 0;
	for (int i = 0; i < 3; i++)
		launch->cluster[i] = 1;
	return read_dims("--cluster", text, launch->cluster, e);
}

int geometry_settle(const struct launch *launch, unsigned block, struct extent *out,
		    struct err *e)
{
	const uint64_t threads[3] = { launch->threads, 1, 1 };
	const uint64_t whole = (threads[0] + WARP - 1) / WARP * WARP;

	for (int i = 0; i < 3; i++)
		out->grid[i] = out->block[i] = 1;
	out->block[0] = whole < block ? (unsigned)whole : block;
	TRY(spread_threads(launch, threads, out, e));
	return check_cluster(launch, out->grid, e);
}

int geometry_block(struct launch *launch, const struct launch_options *options, struct err *e)
{
	TRY(read_block(launch, options->block, e));
	if (options->shared)
		TRY(read_shared(launch, options->shared, e));
	return check_block(launch, e);
}

int geometry_plan(const struct plan *plan, struct launch *launch,
		  const struct launch_options *own, const struct launch_options *defaults,
		  struct err *e)
{
	const char *block = own->block ? own->block : defaults->block;
	const char *shared = own->shared ? own->shared : defaults->shared;
	const char *grid = own->grid, *threads = own->threads;
	uint64_t counts[3] = { 0, 1, 1 };

	/* Either of a launch's own replaces both of the defaults. */
	if (!grid && !threads) {
		grid = defaults->grid;
		threads = defaults->threads;
	}
	for (int i = 0; i < 3; i++)
		launch->extent.grid[i] = 1;
	launch->unsized = !block && !grid && !threads && !own->cluster && !defaults->cluster &&
			  !launch->kernel->info->required_block[0];
	launch->cooperative = own->cooperative || defaults->cooperative;
	TRY(read_cluster(launch, own->cluster ? own->cluster : defaults->cluster, e));
	TRY(read_block(launch, block, e));
	if (grid)
		TRY(read_dims("--grid", grid, launch->extent.grid, e));
	if (threads)
		TRY(read_threads(plan, launch, threads, grid, counts, e));
	if (shared)
		TRY(read_shared(launch, shared, e));
	if (is_auto(launch, block))
		return leave_open(launch, counts, e);
	if (threads)
		TRY(spread_threads(launch, counts, &launch->extent, e));
	TRY(check_cluster(launch, launch->extent.grid, e));
	return check_block(launch, e);
}
