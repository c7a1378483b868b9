/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Layout (numpy.lib.format): "\x93NUMPY", major, minor, the length of what
 * follows (u16 in version 1, u32 in 2 and 3), then a Python dict literal
 * {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }, padded with
 * spaces and a newline to a multiple of 64, then the elements.
 */
#include "npy.h"

#include <ctype.h>
#include <stdio.h>

#include "cleanup.h"

static const char magic[] = "\x93NUMPY";
#define MAGIC_SIZE 6

// clang-format off
static const char *const descriptions[TYPE_COUNT] = {
	[TYPE_I8]  = "|i1", [TYPE_U8]  = "|u1", [TYPE_I16] = "<i2", [TYPE_U16] = "<u2",
	[TYPE_I32] = "<i4", [TYPE_U32] = "<u4", [TYPE_I64] = "<i8", [TYPE_U64] = "<u8",
	[TYPE_F16] = "<f2", [TYPE_BF16] = "<V2", [TYPE_F32] = "<f4", [TYPE_F64] = "<f8",
	[TYPE_BOOL] = "|b1", [TYPE_E4M3] = "|V1", [TYPE_E5M2] = "|V1",
	[TYPE_C64] = "<c8", [TYPE_C128] = "<c16",
};

/* Others that are read: bf16 and floats of 8 bits as ml_dtypes writes them. */
static const struct {
	const char *description;
	enum value_type type;
} others[] = { { "|V2", TYPE_BF16 }, { "<f1", TYPE_E5M2 }, { "|f1", TYPE_E5M2 } };
// clang-format on

bool npy_sniff(struct bytes file)
{
	return bytes_begin(file, magic, MAGIC_SIZE);
}

/* The dict literal, and how far it has been read. */
struct cursor {
	struct bytes text;
	size_t at;
	size_t base; /* offset of the text in the file */
	struct err *e;
};

static int expected(const struct cursor *cursor, const char *what)
{
	return err_set(cursor->e, GPURUN_FORMAT, "npy header, offset %zu: expected %s",
		       cursor->base + cursor->at, what);
}

static int peek(struct cursor *cursor)
{
	while (cursor->at < cursor->text.size && isspace(cursor->text.data[cursor->at]))
		cursor->at++;
	return cursor->at < cursor->text.size ? cursor->text.data[cursor->at] : -1;
}

static bool accept(struct cursor *cursor, char c)
{
	if (peek(cursor) != c)
		return false;
	cursor->at++;
	return true;
}

/* Reads 'text' or "text" into @out. */
static int read_string(struct cursor *cursor, struct bytes *out)
{
	int quote = peek(cursor);
	size_t start = cursor->at + 1;

	if (quote != '\'' && quote != '"')
		return expected(cursor, "a string");
	for (size_t end = start; end < cursor->text.size; end++) {
		if (cursor->text.data[end] == quote) {
			*out = (struct bytes){ cursor->text.data + start, end - start };
			cursor->at = end + 1;
			return 0;
		}
	}
	return expected(cursor, "the end of the string");
}

static bool is_text(struct bytes bytes, const char *text)
{
	return bytes.size == strlen(text) && !memcmp(bytes.data, text, bytes.size);
}

static bool find_type(struct bytes text, enum value_type *type)
{
	for (int i = 0; i < TYPE_COUNT; i++) {
		if (is_text(text, descriptions[i])) {
			*type = (enum value_type)i;
			return true;
		}
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		if (is_text(text, others[i].description)) {
			*type = others[i].type;
			return true;
		}
	}
	return false;
}

static int read_description(struct cursor *cursor, struct npy *out)
{
	struct bytes text;

	if (peek(cursor) == '[')
		return err_set(cursor->e, GPURUN_FORMAT,
			       "npy: arrays of structs cannot be used");
	TRY(read_string(cursor, &text));
	if (find_type(text, &out->type)) {
		out->is_void = text.data[1] == 'V';
		return 0;
	}
	if (text.size && text.data[0] == '>') {
		err_set(cursor->e, GPURUN_FORMAT, "npy: big-endian elements ('%.*s')",
			(int)text.size, (const char *)text.data);
		return err_hint(cursor->e,
				"numpy's array.astype() changes the byte order");
	}
	return err_set(cursor->e, GPURUN_FORMAT,
		       "npy: elements of type '%.16s' cannot be used",
		       text.size < 16 ? strndupa((const char *)text.data, text.size)
				      : (const char *)text.data);
}

static int read_order(struct cursor *cursor)
{
	struct bytes rest = { cursor->text.data, cursor->text.size };

	(void)peek(cursor);
	rest.data += cursor->at;
	rest.size -= cursor->at;
	if (bytes_begin(rest, "False", 5)) {
		cursor->at += 5;
		return 0;
	}
	if (!bytes_begin(rest, "True", 4))
		return expected(cursor, "True or False");
	err_set(cursor->e, GPURUN_FORMAT, "npy: the array is in Fortran order");
	return err_hint(cursor->e, "numpy.ascontiguousarray() puts it in C order");
}

static int read_dim(struct cursor *cursor, uint64_t *dim)
{
	size_t start = cursor->at;

	*dim = 0;
	while (cursor->at < cursor->text.size && isdigit(cursor->text.data[cursor->at])) {
		uint64_t digit = (uint64_t)(cursor->text.data[cursor->at] - '0');

		if (!size_mul(*dim, 10, dim) || !size_add(*dim, digit, dim))
			return expected(cursor, "a smaller number");
		cursor->at++;
	}
	if (cursor->at == start)
		return expected(cursor, "a number");
	/* Python 2 wrote long integers with an L. */
	if (cursor->at < cursor->text.size && cursor->text.data[cursor->at] == 'L')
		cursor->at++;
	return 0;
}

static int read_shape(struct cursor *cursor, struct shape *shape)
{
	*shape = (struct shape){ .count = 1 };
	if (!accept(cursor, '('))
		return expected(cursor, "'('");
	while (!accept(cursor, ')')) {
		uint64_t dim;

		(void)peek(cursor);
		TRY(read_dim(cursor, &dim));
		if (shape->rank == SHAPE_MAX_RANK)
			return expected(cursor, "at most 8 dimensions");
		shape->dims[shape->rank++] = dim;
		if (!size_mul(shape->count, dim, &shape->count))
			return expected(cursor, "a smaller shape");
		if (!accept(cursor, ',') && peek(cursor) != ')')
			return expected(cursor, "',' or ')'");
	}
	return 0;
}

enum { HAVE_DESCRIPTION = 1, HAVE_ORDER = 2, HAVE_SHAPE = 4, HAVE_ALL = 7 };

static int read_member(struct cursor *cursor, struct npy *out, unsigned *have)
{
	struct bytes key;

	TRY(read_string(cursor, &key));
	if (!accept(cursor, ':'))
		return expected(cursor, "':'");
	if (is_text(key, "descr")) {
		*have |= HAVE_DESCRIPTION;
		return read_description(cursor, out);
	}
	if (is_text(key, "fortran_order")) {
		*have |= HAVE_ORDER;
		return read_order(cursor);
	}
	if (is_text(key, "shape")) {
		*have |= HAVE_SHAPE;
		return read_shape(cursor, &out->shape);
	}
	return expected(cursor, "descr, fortran_order or shape");
}

static int read_dict(struct cursor *cursor, struct npy *out)
{
	unsigned have = 0;

	if (!accept(cursor, '{'))
		return expected(cursor, "'{'");
	while (!accept(cursor, '}')) {
		TRY(read_member(cursor, out, &have));
		if (!accept(cursor, ',') && peek(cursor) != '}')
			return expected(cursor, "',' or '}'");
	}
	if (have != HAVE_ALL)
		return err_set(cursor->e, GPURUN_FORMAT,
			       "npy header: descr, fortran_order or shape is missing");
	return 0;
}

int npy_read(struct bytes file, struct npy *out, struct err *e)
{
	struct cursor cursor = { .e = e };
	const uint8_t *at = bytes_at(file, 0, 10);
	uint64_t length, want;

	*out = (struct npy){ 0 };
	if (!npy_sniff(file) || !at)
		return err_set(e, GPURUN_FORMAT, "not a npy file");
	if (at[6] < 1 || at[6] > 3)
		return err_set(e, GPURUN_FORMAT, "npy: unknown version %d.%d", at[6],
			       at[7]);
	cursor.base = at[6] == 1 ? 10 : 12;
	if (!bytes_at(file, 0, cursor.base))
		return err_set(e, GPURUN_FORMAT, "npy: cut off at offset %zu", file.size);
	length = at[6] == 1 ? load_u16(at + 8) : load_u32(at + 8);
	if (!bytes_slice(file, cursor.base, length, &cursor.text))
		return err_set(e, GPURUN_FORMAT,
			       "npy: cut off at offset %zu, inside the header",
			       file.size);
	TRY(read_dict(&cursor, out));
	if (!size_mul(out->shape.count, value_info(out->type)->size, &want) ||
	    file.size - cursor.base - length != want)
		return err_set(e, GPURUN_FORMAT,
			       "npy: %zu bytes of elements where its shape needs %llu",
			       file.size - cursor.base - (size_t)length,
			       (unsigned long long)want);
	return bytes_slice(file, cursor.base + length, want, &out->data)
		       ? 0
		       : err_set(e, GPURUN_FORMAT, "npy: cut off");
}

static bool is_quarter(enum value_type type)
{
	return type == TYPE_E4M3 || type == TYPE_E5M2;
}

bool npy_holds(const struct npy *npy, enum value_type type)
{
	if (is_quarter(type) && (npy->type == TYPE_U8 || (npy->is_void && is_quarter(npy->type))))
		return true;
	return npy->type == type;
}

size_t npy_header(enum value_type type, const struct shape *shape,
		  char header[NPY_HEADER_SIZE])
{
	char dims[SHAPE_MAX_RANK * 22 + 1] = "";
	size_t at = 0, size;

	for (unsigned i = 0; i < shape->rank; i++)
		at += (size_t)snprintf(dims + at, sizeof(dims) - at, "%llu%s",
				       (unsigned long long)shape->dims[i],
				       i + 1 < shape->rank ? ", "
				       : shape->rank == 1  ? ","
							   : "");
	size = (size_t)
		snprintf(header + 10, NPY_HEADER_SIZE - 10,
			 "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }",
			 descriptions[type], dims);
	memcpy(header, magic, MAGIC_SIZE);
	header[6] = 1;
	header[7] = 0;
	/* The elements begin at a multiple of 64; a newline comes just before. */
	while ((size + 11) % 64)
		header[10 + size++] = ' ';
	header[10 + size++] = '\n';
	header[8] = (char)(size & 0xff);
	header[9] = (char)(size >> 8);
	return size + 10;
}
