/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <string.h>

#include "ol.h"

struct ol_info ol_info_string(const char *text)
{
	return (struct ol_info){ text, strlen(text) + 1 };
}

ol_result_t ol_info_copy(struct ol_info info, size_t size, void *value)
{
	if (size < info.size)
		return ol_error(OL_ERRC_INVALID_SIZE, "provided size is invalid: %zu bytes, the "
				"property has %zu", size, info.size);
	memcpy(value, info.value, info.size);
	return OL_SUCCESS;
}

ol_result_t ol_info_unknown(const char *function, int name)
{
	return ol_error(OL_ERRC_INVALID_ENUMERATION, "%s enum '%d' is invalid", function, name);
}
