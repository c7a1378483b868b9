/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Text in XML 1.0, whatever bytes it has: filtered (visible.h), as XML lacks most of the rest. */
#ifndef CMD_XML_H
#define CMD_XML_H

#include <stdio.h>

/* Writes @text as character data. */
void xml_text(FILE *to, const char *text);

/* Writes " NAME="@text"" likewise, with newlines and tabs that are kept. */
void xml_attribute(FILE *to, const char *name, const char *text);

#endif
