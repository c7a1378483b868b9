/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "entry.h"

#include <dlfcn.h>

#include "kernel.h"
#include "patch.h"
#include "text.h"

/* As the loader's own, for a library that is not there. */
enum { NOT_LOADED = 127 };

void *entry_targets[NAMES];
static const char *path;

/* Libraries that may have dlmopen(): before glibc 2.34 it was not in libc.so.6. */
static struct link_map *candidates[2];
static const char *const candidate_names[2] = { "libc.so.6", "libdl.so.2" };

/* ---- functions of the program's C library ---- */

/* What a library that is loaded says of its symbols. */
struct symbols {
	const Elf64_Sym *at;
	const char *strings;
	const uint16_t *versions; /* NULL: it has none */
	const uint32_t *hashes;	  /* DT_GNU_HASH */
};

static struct symbols symbols_of(const struct link_map *library)
{
	struct symbols symbols = { 0 };

	for (const Elf64_Dyn *d = library->l_ld; d->d_tag != DT_NULL; d++) {
		const void *at = (const void *)d->d_un.d_ptr;

		symbols.at = d->d_tag == DT_SYMTAB ? at : symbols.at;
		symbols.strings = d->d_tag == DT_STRTAB ? at : symbols.strings;
		symbols.versions = d->d_tag == DT_VERSYM ? at : symbols.versions;
		symbols.hashes = d->d_tag == DT_GNU_HASH ? at : symbols.hashes;
	}
	return symbols;
}

/* The chain of names with the hash of @name, in the layout that glibc and binutils share. */
static void *find_function(const struct link_map *library, const char *name)
{
	const struct symbols symbols = symbols_of(library);
	const uint32_t *hashes = symbols.hashes, *buckets, *chains;
	uint32_t hash = 5381, i;

	if (!hashes || !symbols.at || !symbols.strings || !hashes[0])
		return NULL;
	for (const char *c = name; *c; c++)
		hash = hash * 33 + (uint8_t)*c;
	buckets = hashes + 4 + hashes[2] * 2;
	chains = buckets + hashes[0] - hashes[1];
	i = buckets[hash % hashes[0]];
	for (; i >= hashes[1] && i; i++) {
		const Elf64_Sym *symbol = &symbols.at[i];

		/* A version that is hidden is for old programs. */
		if ((chains[i] | 1) == (hash | 1) && symbol->st_shndx != SHN_UNDEF &&
		    !(symbols.versions && symbols.versions[i] & 0x8000) &&
		    text_same(symbols.strings + symbol->st_name, name))
			return (void *)(library->l_addr + symbol->st_value);
		if (chains[i] & 1)
			break;
	}
	return NULL;
}

static void *find(const char *name)
{
	void *function = NULL;

	for (unsigned i = 0; !function && i < 2; i++)
		if (candidates[i])
			function = find_function(candidates[i], name);
	return function;
}

/* ---- the first call of a function ---- */

static void give_up(const char *what, const char *why)
{
	kernel_print("cannot load gpurun's CUDA runtime for ", what, ": ", why, NULL);
	kernel_exit(NOT_LOADED);
}

/*
 * The function whose address is to be in @slot. Two threads may be here at once: each finds the
 * same, and a library that is loaded twice is there once.
 */
void *entry_resolve(void **slot);

__attribute__((visibility("hidden"), used)) void *entry_resolve(void **slot)
{
	static void *library;
	const char *name = name_text((enum name)(slot - entry_targets));
	void *(*load)(Lmid_t, const char *, int) = find("dlmopen");
	void *(*look_up)(void *, const char *) = find("dlsym");
	char *(*reason)(void) = find("dlerror");
	void *handle = __atomic_load_n(&library, __ATOMIC_ACQUIRE), *function;

	if (!load || !look_up || !reason)
		give_up(name, "the C library has no dlmopen()");
	if (!handle)
		handle = load(LM_ID_BASE, path, RTLD_NOW | RTLD_LOCAL);
	if (!handle)
		give_up(name, reason());
	__atomic_store_n(&library, handle, __ATOMIC_RELEASE);
	function = look_up(handle, name);
	if (!function)
		give_up(name, reason());
	__atomic_store_n(slot, function, __ATOMIC_RELEASE);
	return function;
}

/*
 * A call of a function comes here as the program made it, with its slot in r11: all registers
 * that pass arguments are kept, those of vectors by their lower 16 bytes, which is what
 * the runtime's functions take. Behind 8 words and the return address the stack is 8 bytes off
 * its alignment; 8 registers of 16 bytes and 8 more bytes restore it.
 */
__asm__(".pushsection .text\n"
	".hidden entry_first\n"
	".globl entry_first\n"
	".type entry_first, @function\n"
	"entry_first:\n"
	"	endbr64\n"
	"	push %rax\n	push %rdi\n	push %rsi\n	push %rdx\n"
	"	push %rcx\n	push %r8\n	push %r9\n	push %r10\n"
	"	sub $136, %rsp\n"
	"	movups %xmm0, (%rsp)\n	movups %xmm1, 16(%rsp)\n"
	"	movups %xmm2, 32(%rsp)\n	movups %xmm3, 48(%rsp)\n"
	"	movups %xmm4, 64(%rsp)\n	movups %xmm5, 80(%rsp)\n"
	"	movups %xmm6, 96(%rsp)\n	movups %xmm7, 112(%rsp)\n"
	"	mov %r11, %rdi\n"
	"	call entry_resolve\n"
	"	mov %rax, %r11\n"
	"	movups (%rsp), %xmm0\n	movups 16(%rsp), %xmm1\n"
	"	movups 32(%rsp), %xmm2\n	movups 48(%rsp), %xmm3\n"
	"	movups 64(%rsp), %xmm4\n	movups 80(%rsp), %xmm5\n"
	"	movups 96(%rsp), %xmm6\n	movups 112(%rsp), %xmm7\n"
	"	add $136, %rsp\n"
	"	pop %r10\n	pop %r9\n	pop %r8\n	pop %rcx\n"
	"	pop %rdx\n	pop %rsi\n	pop %rdi\n	pop %rax\n"
	"	jmp *%r11\n"
	".size entry_first, .-entry_first\n"
	".popsection\n");
void entry_first(void);

/* ---- functions that ours has not ---- */

/* cudaErrorNotSupported; and 128 functions are named, which is more than a runtime has anew. */
enum { NOT_SUPPORTED = 801, MOST_NAMED = 128 };

/* Gets the way, and not the call's arguments. */
int entry_refuse(const struct way_newer *way);

__attribute__((visibility("hidden"), used)) int entry_refuse(const struct way_newer *way)
{
	static const struct way_newer *named[MOST_NAMED];
	unsigned i = 0;

	while (i < MOST_NAMED && named[i] && named[i] != way)
		i++;
	if (i < MOST_NAMED && !named[i]) {
		named[i] = way;
		kernel_print("the program's CUDA runtime has ", way->name, ", gpurun's, which is "
			     "that of CUDA 13.0, has not: it returns cudaErrorNotSupported", NULL);
	}
	return NOT_SUPPORTED;
}

__asm__(".pushsection .text\n"
	".hidden entry_newer\n"
	".globl entry_newer\n"
	".type entry_newer, @function\n"
	"entry_newer:\n"
	"	endbr64\n"
	"	mov %r11, %rdi\n"
	"	jmp entry_refuse\n"
	".size entry_newer, .-entry_newer\n"
	".popsection\n");

/* ---- the rest ---- */

void entry_begin(const char *libcudart)
{
	path = libcudart;
	for (unsigned i = 0; i < NAMES; i++)
		entry_targets[i] = (void *)entry_first;
}

bool entry_see_library(struct link_map *library)
{
	const char *name = text_file_name(library->l_name);
	bool seen = false;

	for (unsigned i = 0; i < 2; i++)
		if (text_same(name, candidate_names[i])) {
			candidates[i] = library;
			seen = true;
		}
	return seen;
}
