/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Makes line tables, whole and damaged: a head, files, opcodes. */
#ifndef TEST_UNIT_LINE_TABLE_H
#define TEST_UNIT_LINE_TABLE_H

#include "fixture.h"

enum { LINE_TABLE_MOST = 1 << 20 };

struct line_table {
	uint8_t *data; /* owned; LINE_TABLE_MOST bytes */
	size_t size;
	size_t head; /* where the length of the rest of the head stands */
	size_t range; /* where the range of special opcodes stands */
};

static inline void line_table_release(struct line_table *table)
{
	free(table->data);
}

static inline struct bytes table_bytes(const struct line_table *table)
{
	return (struct bytes){ table->data, table->size };
}

static inline void put_bytes(struct line_table *table, const void *bytes, size_t size)
{
	if (size > LINE_TABLE_MOST - table->size)
		abort();
	memcpy(table->data + table->size, bytes, size);
	table->size += size;
}

static inline void put_number(struct line_table *table, uint64_t value, size_t size)
{
	uint8_t bytes[8];

	store_u64(bytes, value);
	put_bytes(table, bytes, size);
}

static inline void put_leb(struct line_table *table, uint64_t value)
{
	for (; value > 0x7f; value >>= 7)
		put_number(table, (value & 0x7f) | 0x80, 1);
	put_number(table, value, 1);
}

/* A small number, with @padding bytes that say nothing. */
static inline void put_padded(struct line_table *table, uint8_t value, size_t padding)
{
	put_number(table, value | 0x80, 1);
	for (; padding > 1; padding--)
		put_number(table, 0x80, 1);
	put_number(table, 0, 1);
}

static inline void put_text(struct line_table *table, const char *text)
{
	put_bytes(table, text, strlen(text) + 1);
}

/* The head of a unit up to its files; a special opcode from 10 on adds (opcode - 10) / @range to the
 * address, and @base + (opcode - 10) % @range to the line. */
static inline struct line_table line_table(unsigned version, int base, unsigned range)
{
	static const uint8_t operands[] = { 0, 1, 1, 1, 1, 0, 0, 0, 1 };
	struct line_table table = { .data = calloc(1, LINE_TABLE_MOST) };

	if (!table.data)
		abort();
	put_number(&table, 0, 4);
	put_number(&table, version, 2);
	if (version == 5)
		put_number(&table, 8, 2);
	table.head = table.size;
	put_number(&table, 0, 4);
	put_number(&table, 1, 1);
	if (version >= 4)
		put_number(&table, 1, 1);
	put_number(&table, 1, 1);
	put_number(&table, (uint8_t)base, 1);
	table.range = table.size;
	put_number(&table, range, 1);
	put_number(&table, 10, 1);
	put_bytes(&table, operands, sizeof(operands));
	return table;
}

/* Until version 4: @directory, when it has a name, and the file @name in it. */
static inline void put_file(struct line_table *table, const char *directory, const char *name)
{
	if (*directory)
		put_text(table, directory);
	put_number(table, 0, 1);
	put_text(table, name);
	put_number(table, *directory ? 1 : 0, 1);
	put_number(table, 0, 3);
}

/* Ends the head: opcodes follow. */
static inline void put_program(struct line_table *table)
{
	store_u32(table->data + table->head, (uint32_t)(table->size - table->head - 4));
}

/* Ends the unit. */
static inline void put_end(struct line_table *table)
{
	store_u32(table->data, (uint32_t)table->size - 4);
}

/* DW_LNE_set_address 0. Returns where the address stands. */
static inline size_t put_address(struct line_table *table)
{
	put_bytes(table, "\0\011\002", 3);
	put_number(table, 0, 8);
	return table->size - 8;
}

/* DW_LNS_advance_line by @lines, which are not negative. */
static inline void put_lines(struct line_table *table, uint32_t lines)
{
	put_number(table, 3, 1);
	for (; lines >= 0x40; lines >>= 7)
		put_number(table, (lines & 0x7f) | 0x80, 1);
	put_number(table, lines, 1);
}

/* The opcode of NVIDIA's that says which row this code was inlined into. */
static inline void put_caller(struct line_table *table, uint32_t row)
{
	size_t begin;

	put_number(table, 0, 2);
	begin = table->size;
	put_number(table, 0x90, 1);
	put_leb(table, row);
	put_leb(table, 0);
	table->data[begin - 1] = (uint8_t)(table->size - begin);
}

static inline void put_sequence_end(struct line_table *table)
{
	put_bytes(table, "\0\001\001", 3);
}

#endif
