/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The result of --bench for people, on the standard output, and for programs. */
#ifndef CMD_BENCH_PRINT_H
#define CMD_BENCH_PRINT_H

#include "bench.h"
#include "json.h"

enum { QUANTITY_TEXT_SIZE = 32 };

/* Prints @nanoseconds in the unit that suits, with four digits: "812.4 us". Returns @text. */
const char *bench_time(double nanoseconds, char text[QUANTITY_TEXT_SIZE]);

/* Prints @amount with a prefix of 1000: "1.24 TB/s" for the unit "B/s". Returns @text. */
const char *bench_rate(double amount, const char *unit, char text[QUANTITY_TEXT_SIZE]);

/* Prints all of it: paragraphs for one launch, a table for several. GPURUN_IO; GPURUN_NO_MEMORY. */
int bench_print(const struct bench_result *result, struct err *e);

/* Adds the object "bench". */
void bench_report(const struct bench_result *result, struct json *json);

#endif
