/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The examples of FIPS 180-4, and lengths around the ends of a block. */
#include "sha256.h"

#include "tap.h"

static const char *hash(const char *text)
{
	static char out[SHA256_TEXT_SIZE];

	sha256((struct bytes){ (const uint8_t *)text, strlen(text) }, out);
	return out;
}

static const char *hash_of_a(size_t count)
{
	char text[256] = "";

	memset(text, 'a', count);
	return hash(text);
}

static void test_examples(void)
{
	CHECK_STR(hash(""),
		  "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	CHECK_STR(hash("abc"),
		  "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	CHECK_STR(hash("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
		  "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

static void test_block_ends(void)
{
	CHECK_STR(hash_of_a(64),
		  "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb");
	CHECK_STR(hash_of_a(119),
		  "31eba51c313a5c08226adf18d4a359cfdfd8d2e816b13f4af952f7ea6584dcfb");
	CHECK_STR(hash_of_a(120),
		  "2f3d335432c70b580af0e8e1b3674a7c020d683aa5f73aaaedfdc55af904c21c");
}

int main(void)
{
	RUN(test_examples);
	RUN(test_block_ends);
	return tap_end();
}
