/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * For test/abi/cudart: prints how a function of C takes its parameters and gives its result,
 * as far as a caller's machine code knows it: the size of each, and whether it is a pointer, a
 * number or a structure. C++, by which a compiler tells the types of any function.
 */
#include <cstdio>
#include <type_traits>

template <class T> static void shape_of(void)
{
	if constexpr (std::is_void_v<T>)
		printf(" void");
	else
		printf(" %s%zu",
		       std::is_pointer_v<T>			       ? "pointer" :
		       std::is_floating_point_v<T>		       ? "floating" :
		       std::is_integral_v<T> || std::is_enum_v<T> ? "number" :
								     "structure",
		       sizeof(T));
}

template <class Result, class... Parameters>
static void function_shape(const char *name, Result (*)(Parameters...))
{
	printf("%s:", name);
	shape_of<Result>();
	printf(" of");
	(shape_of<Parameters>(), ...);
	printf("\n");
}
