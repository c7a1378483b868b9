/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "host_program.h"

#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bytes.h"

bool host_program_may_run(const char *path)
{
	struct stat status;

	return !stat(path, &status) && S_ISREG(status.st_mode) && !access(path, X_OK);
}

/* A library is executable for many linkers; what starts has an address, or an interpreter. */
static bool starts(struct bytes head)
{
	Elf64_Ehdr elf;
	Elf64_Phdr segment;

	if (bytes_begin(head, "#!", 2))
		return true;
	if (!bytes_begin(head, ELFMAG, SELFMAG) || !bytes_read(head, 0, &elf, sizeof(elf)))
		return false;
	for (unsigned i = 0; elf.e_type == ET_DYN && i < elf.e_phnum; i++) {
		if (!bytes_read(head, elf.e_phoff + i * (uint64_t)sizeof(segment), &segment,
				sizeof(segment)))
			return false;
		if (segment.p_type == PT_INTERP)
			return true;
	}
	return elf.e_type == ET_EXEC;
}

bool host_program_is(const char *path)
{
	uint8_t head[4096];
	ssize_t size;
	int fd;

	if (!host_program_may_run(path))
		return false;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	size = fd < 0 ? -1 : pread(fd, head, sizeof(head), 0);
	if (fd >= 0)
		close(fd);
	return size > 0 && starts((struct bytes){ head, (size_t)size });
}

/* The section of what the loader is to do, with @header; NULL. */
static Elf_Data *dynamic_section(Elf *elf, GElf_Shdr *header)
{
	Elf_Scn *section = NULL;

	while ((section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, header) && header->sh_type == SHT_DYNAMIC)
			return elf_getdata(section, NULL);
	return NULL;
}

static bool elf_needs(Elf *elf, const char *name)
{
	GElf_Shdr header;
	Elf_Data *data = elf ? dynamic_section(elf, &header) : NULL;
	GElf_Dyn entry;

	for (int i = 0; data && gelf_getdyn(data, i, &entry) && entry.d_tag != DT_NULL; i++) {
		const char *library = entry.d_tag != DT_NEEDED ? NULL :
				      elf_strptr(elf, header.sh_link, entry.d_un.d_val);

		if (library && !strncmp(library, name, strlen(name)))
			return true;
	}
	return false;
}

static bool elf_has_interpreter(Elf *elf)
{
	size_t count = 0;
	GElf_Phdr segment;

	elf_getphdrnum(elf, &count);
	for (size_t i = 0; i < count; i++)
		if (gelf_getphdr(elf, (int)i, &segment) && segment.p_type == PT_INTERP)
			return true;
	return false;
}

static bool elf_has_section(Elf *elf, const char *name)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return false;
	while ((section = elf_nextscn(elf, section))) {
		const char *is = gelf_getshdr(section, &header) ?
					 elf_strptr(elf, names, header.sh_name) : NULL;

		if (is && !strcmp(is, name))
			return true;
	}
	return false;
}

/* Does the program need the library @name? NULL: has it GPU code, and no loader? */
static bool ask_elf(const char *path, const char *name)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	Elf *elf = NULL;
	bool yes;

	if (fd >= 0 && elf_version(EV_CURRENT) != EV_NONE)
		elf = elf_begin(fd, ELF_C_READ, NULL);
	yes = name ? elf_needs(elf, name) :
		     elf && elf_kind(elf) == ELF_K_ELF && !elf_has_interpreter(elf) &&
			     elf_has_section(elf, ".nv_fatbin");
	elf_end(elf);
	if (fd >= 0)
		close(fd);
	return yes;
}

bool host_program_needs(const char *path, const char *name)
{
	return ask_elf(path, name);
}

bool host_program_is_sealed(const char *path)
{
	return ask_elf(path, NULL);
}

bool host_program_find(const char *name, char path[PATH_MAX])
{
	const char *folders = getenv("PATH");
	size_t length;

	for (const char *at = folders ? folders : "/bin:/usr/bin";; at += length + 1) {
		length = strcspn(at, ":");
		if (snprintf(path, PATH_MAX, "%.*s%s%s", (int)length, at,
			     length ? "/" : "./", name) < PATH_MAX &&
		    host_program_may_run(path))
			return true;
		if (!at[length])
			return false;
	}
}
