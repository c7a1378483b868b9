# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls, parameters, variables, address spaces, moves, output, faults."""

from .control import ints, kernel
from .emit import File


def call():
    f = File("call", "call: parameters by value, structures, vectors, recursion, .local.")
    f.raw("""
.func (.param .b32 r) square(.param .b32 a)
{
	.reg .b32 %x;
	ld.param.u32 %x, [a];
	mul.lo.u32 %x, %x, %x;
	st.param.u32 [r], %x;
	ret;
}

// Declared here, defined below.
.func (.param .b32 r) fib(.param .b32 n);

.func (.param .b32 r) factorial(.param .b32 n)
{
	.reg .pred %p;
	.reg .b32 %n, %x;
	ld.param.u32 %n, [n];
	setp.lt.u32 %p, %n, 2;
	@%p bra $one;
	sub.u32 %x, %n, 1;
	{
		.param .b32 a;
		.param .b32 v;
		st.param.u32 [a], %x;
		call.uni (v), factorial, (a);
		ld.param.u32 %x, [v];
	}
	mul.lo.u32 %x, %x, %n;
	st.param.u32 [r], %x;
	ret;
$one:
	st.param.u32 [r], 1;
	ret;
}

.func (.param .b32 r) fib(.param .b32 n)
{
	.reg .pred %p;
	.reg .b32 %n, %x, %y, %z;
	ld.param.u32 %n, [n];
	mov.u32 %z, %n;
	setp.lt.u32 %p, %n, 2;
	@%p bra $done;
	{
		.param .b32 a;
		.param .b32 v;
		sub.u32 %x, %n, 1;
		st.param.u32 [a], %x;
		call (v), fib, (a);
		ld.param.u32 %y, [v];
	}
	{
		.param .b32 a;
		.param .b32 v;
		sub.u32 %x, %n, 2;
		st.param.u32 [a], %x;
		call (v), fib, (a);
		ld.param.u32 %x, [v];
	}
	add.u32 %z, %x, %y;
$done:
	st.param.u32 [r], %z;
	ret;
}

// A structure { u32 a; u16 b; u8 c; u64 d; } in, another out.
.func (.param .align 8 .b8 r[16]) shuffle_struct(.param .align 8 .b8 s[16])
{
	.reg .b32 %a, %c;
	.reg .b16 %b;
	.reg .b64 %d;
	ld.param.u32 %a, [s];
	ld.param.u16 %b, [s+4];
	ld.param.u8 %c, [s+6];
	ld.param.u64 %d, [s+8];
	st.param.u64 [r], %d;
	st.param.u32 [r+8], %a;
	st.param.u8 [r+12], %c;
	st.param.u16 [r+14], %b;
	ret;
}

.func (.param .align 16 .b8 r[16]) rotate(.param .align 16 .b8 v[16])
{
	.reg .b32 %x<4>;
	ld.param.v4.u32 {%x0, %x1, %x2, %x3}, [v];
	st.param.v4.u32 [r], {%x3, %x0, %x1, %x2};
	ret;
}

.func (.param .b64 r) types(.param .b32 a, .param .f64 b, .param .b16 c, .param .f32 d,
	.param .b8 e)
{
	.reg .b32 %a, %e;
	.reg .f64 %b, %x;
	.reg .b16 %c;
	.reg .f32 %d;
	ld.param.s32 %a, [a];
	ld.param.f64 %b, [b];
	ld.param.s16 %c, [c];
	ld.param.f32 %d, [d];
	ld.param.s8 %e, [e];
	cvt.rn.f64.s32 %x, %a;
	add.f64 %b, %b, %x;
	cvt.rn.f64.s16 %x, %c;
	add.f64 %b, %b, %x;
	cvt.f64.f32 %x, %d;
	add.f64 %b, %b, %x;
	cvt.rn.f64.s32 %x, %e;
	add.f64 %b, %b, %x;
	st.param.f64 [r], %b;
	ret;
}

// Adds 1 to every element of an array of the caller's.
.func bump(.param .b64 p, .param .b32 n)
{
	.reg .pred %p;
	.reg .b32 %i, %n, %x;
	.reg .b64 %p1;
	ld.param.u64 %p1, [p];
	ld.param.u32 %n, [n];
	mov.u32 %i, 0;
$loop:
	ld.u32 %x, [%p1];
	add.u32 %x, %x, 1;
	st.u32 [%p1], %x;
	add.u64 %p1, %p1, 4;
	add.u32 %i, %i, 1;
	setp.lt.u32 %p, %i, %n;
	@%p bra $loop;
	ret;
}

// Sums 1..n with a frame of its own at every depth.
.func (.param .b32 r) deep(.param .b32 n)
{
	.local .align 8 .b8 frame[16];
	.reg .pred %p;
	.reg .b32 %n, %x;
	.reg .b64 %f;
	ld.param.u32 %n, [n];
	mov.u64 %f, frame;
	st.local.u32 [%f+4], %n;
	mov.u32 %x, 0;
	setp.eq.u32 %p, %n, 0;
	@%p bra $done;
	{
		.param .b32 a;
		.param .b32 v;
		sub.u32 %x, %n, 1;
		st.param.u32 [a], %x;
		call (v), deep, (a);
		ld.param.u32 %x, [v];
	}
$done:
	ld.local.u32 %n, [%f+4];
	add.u32 %x, %x, %n;
	st.param.u32 [r], %x;
	ret;
}

.func (.param .b32 r) leaves(.param .b32 a)
{
	.reg .pred %p;
	.reg .b32 %x;
	ld.param.u32 %x, [a];
	setp.gt.u32 %p, %x, 40;
	@%p exit;
	st.param.u32 [r], %x;
	ret;
}
""")
    n = 64

    def one(name, callee, fn, pre="", count=n):
        kernel(f, name, "block=%d" % count,
               [ints("out", "u32", [fn(i) & 0xffffffff for i in range(count)])], pre + """
            {
            .param .b32 a;
            .param .b32 v;
            st.param.b32 [a], %%r3;
            call (v), %s, (a);
            ld.param.b32 %%r4, [v];
            }
            st.global.u32 [%%out], %%r4;""" % callee)

    def fib(k):
        a, b = 0, 1
        for _ in range(k):
            a, b = b, a + b
        return a
    fact = [1]
    for k in range(1, 80):
        fact.append(fact[-1] * k)
    one("square_lanes", "square", lambda i: i * i, "mov.u32 %r3, %i;")
    one("factorial_lanes", "factorial", lambda i: fact[i % 13], "rem.u32 %r3, %i, 13;")
    one("fib_lanes", "fib", lambda i: fib(i % 12), "rem.u32 %r3, %i, 12;")
    one("deep_frames", "deep", lambda i: i * (i + 1) // 2, "mov.u32 %r3, %i;")
    kernel(f, "leaving_callee", "block=64",
           [ints("out", "u32", [i if i <= 40 else 0xa5a5a5a5 for i in range(64)])], """
        {
        .param .b32 a;
        .param .b32 v;
        st.param.b32 [a], %i;
        call (v), leaves, (a);
        ld.param.b32 %r4, [v];
        }
        st.global.u32 [%out], %r4;""", note="exit in a callee ends the thread.")
    kernel(f, "structure", "block=32",
           [ints("out", "u32", [(i * 3) ^ (i + 1) ^ (i + 2) ^ (i * 5 + 9) for i in range(32)])],
           """
        {
        .param .align 8 .b8 a[16];
        .param .align 8 .b8 v[16];
        mul.lo.u32 %r3, %i, 3;
        st.param.u32 [a], %r3;
        add.u32 %r4, %i, 1;
        cvt.u16.u32 %h1, %r4;
        st.param.u16 [a+4], %h1;
        add.u32 %r4, %i, 2;
        st.param.u8 [a+6], %r4;
        mad.lo.u32 %r4, %i, 5, 9;
        cvt.u64.u32 %rd1, %r4;
        st.param.u64 [a+8], %rd1;
        call.uni (v), shuffle_struct, (a);
        ld.param.u64 %rd2, [v];
        ld.param.u32 %r5, [v+8];
        ld.param.u8 %r6, [v+12];
        ld.param.u16 %r7, [v+14];
        }
        cvt.u32.u64 %r8, %rd2;
        xor.b32 %r8, %r8, %r5;
        xor.b32 %r8, %r8, %r6;
        xor.b32 %r8, %r8, %r7;
        st.global.u32 [%out], %r8;""")
    kernel(f, "vector", "block=32",
           [ints("out", "u32", [3 * i + 3 + 10 * i + 100 * (i + 1) + 1000 * (2 * i + 2)
                                for i in range(32)])], """
        {
        .param .align 16 .b8 a[16];
        .param .align 16 .b8 v[16];
        add.u32 %r3, %i, 1;
        mad.lo.u32 %r4, %i, 2, 2;
        mad.lo.u32 %r5, %i, 3, 3;
        st.param.v4.b32 [a], {%i, %r3, %r4, %r5};
        call.uni (v), rotate, (a);
        ld.param.v2.b32 {%r6, %r7}, [v];
        ld.param.v2.b32 {%r8, %r9}, [v+8];
        }
        mad.lo.u32 %r6, %r7, 10, %r6;
        mad.lo.u32 %r6, %r8, 100, %r6;
        mad.lo.u32 %r6, %r9, 1000, %r6;
        st.global.u32 [%out], %r6;""")
    kernel(f, "mixed_types", "block=32",
           [ints("out", "u32", [(-i + 2 * i - 3 * i + 2 * i - i) & 0xffffffff
                                for i in range(32)])], """
        {
        .param .b32 a;
        .param .f64 b;
        .param .b16 c;
        .param .f32 d;
        .param .b8 e;
        .param .b64 v;
        neg.s32 %r3, %i;
        st.param.b32 [a], %r3;
        cvt.rn.f64.u32 %fd1, %i;
        mul.f64 %fd1, %fd1, 0d4000000000000000;
        st.param.f64 [b], %fd1;
        mul.lo.s32 %r4, %i, -3;
        cvt.u16.u32 %h1, %r4;
        st.param.b16 [c], %h1;
        cvt.rn.f32.u32 %f1, %i;
        mul.f32 %f1, %f1, 0f40000000;
        st.param.f32 [d], %f1;
        st.param.b8 [e], %r3;
        call (v), types, (a, b, c, d, e);
        ld.param.f64 %fd2, [v];
        }
        cvt.rzi.s32.f64 %r5, %fd2;
        st.global.u32 [%out], %r5;""", note="Every width, negative numbers among them.")
    kernel(f, "pointer_to_local", "block=32",
           [ints("out", "u32", [4 * i + 0 + 1 + 2 + 3 + 4 for i in range(32)])], """
        mov.u64 %rd1, array;
        mov.u32 %r3, 0;
        $fill:
        add.u32 %r4, %i, %r3;
        mad.wide.u32 %rd2, %r3, 4, %rd1;
        st.local.u32 [%rd2], %r4;
        add.u32 %r3, %r3, 1;
        setp.lt.u32 %p1, %r3, 4;
        @%p1 bra $fill;
        cvta.local.u64 %rd3, %rd1;
        {
        .param .b64 a;
        .param .b32 b;
        st.param.u64 [a], %rd3;
        st.param.u32 [b], 4;
        call bump, (a, b);
        }
        mov.u32 %r5, 0;
        mov.u32 %r3, 0;
        $sum:
        mad.wide.u32 %rd2, %r3, 4, %rd1;
        ld.local.u32 %r4, [%rd2];
        add.u32 %r5, %r5, %r4;
        add.u32 %r3, %r3, 1;
        setp.lt.u32 %p1, %r3, 4;
        @%p1 bra $sum;
        st.global.u32 [%out], %r5;""", extra=".local .align 4 .b8 array[16];")
    kernel(f, "in_divergence", "block=64",
           [ints("out", "u32", [i * i if i % 3 == 0 else fact[i % 7] if i % 3 == 1 else i
                                for i in range(64)])], """
        rem.u32 %r5, %i, 3;
        setp.eq.u32 %p1, %r5, 0;
        setp.eq.u32 %p2, %r5, 1;
        mov.u32 %r4, %i;
        @%p1 bra $zero;
        @%p2 bra $one;
        bra $join;
        $zero:
        {
        .param .b32 a;
        .param .b32 v;
        st.param.b32 [a], %i;
        call (v), square, (a);
        ld.param.b32 %r4, [v];
        }
        bra $join;
        $one:
        {
        .param .b32 a;
        .param .b32 v;
        rem.u32 %r6, %i, 7;
        st.param.b32 [a], %r6;
        call (v), factorial, (a);
        ld.param.b32 %r4, [v];
        }
        $join:
        st.global.u32 [%out], %r4;""")
    kernel(f, "predicated_call", "block=64",
           [ints("out", "u32", [i * i if i & 1 else 5 for i in range(64)])], """
        and.b32 %r5, %i, 1;
        setp.ne.u32 %p1, %r5, 0;
        {
        .param .b32 a;
        .param .b32 v;
        st.param.b32 [a], %i;
        mov.u32 %r4, 5;
        @%p1 call (v), square, (a);
        @!%p1 bra $skip;
        ld.param.b32 %r4, [v];
        $skip:
        }
        st.global.u32 [%out], %r4;""")
    return f


def call_registers():
    f = File("call_reg", "call: registers as parameters and results, which rules out the ABI.")
    f.raw("""
// Registers as parameters and results.
.func (.reg .u32 r, .reg .u32 s) both(.reg .u32 a, .reg .u32 b)
{
	add.u32 r, a, b;
	sub.u32 s, a, b;
	ret;
}
""")
    kernel(f, "registers", "block=64", [ints("out", "u32", [(i + 7) * 1000 + i - 7 & 0xffffffff
                                                            for i in range(64)])], """
        .reg .u32 %s, %t;
        call (%s, %t), both, (%i, 7);
        mad.lo.u32 %r4, %s, 1000, %t;
        st.global.u32 [%out], %r4;""")
    return f


def params():
    f = File("param", "Kernel parameters: every type, arrays, structures by value, large blocks.",
             version="8.1")
    f.raw("""
//@ launch scalars
//@ arg u8 200
//@ arg s16 -300
//@ arg u32 70000
//@ arg s64 -5000000000
//@ arg f32 1.5
//@ arg f64 -2.25
//@ arg s8 -7
//@ out u64 200 0xfffffffffffffed4 70000 0xfffffffed5fa0e00 0x3fc00000 0xc002000000000000
//@ + 0xfffffffffffffff9
.visible .entry scalars(.param .u8 a, .param .s16 b, .param .u32 c, .param .s64 d,
	.param .f32 e, .param .f64 g, .param .s8 h, .param .u64 out)
{
	.reg .b64 %out, %x;
	.reg .b32 %y;
	ld.param.u64 %out, [out];
	ld.param.u8 %x, [a];
	st.global.u64 [%out], %x;
	ld.param.s16 %x, [b];
	st.global.u64 [%out+8], %x;
	ld.param.u32 %x, [c];
	st.global.u64 [%out+16], %x;
	ld.param.s64 %x, [d];
	st.global.u64 [%out+24], %x;
	ld.param.b32 %y, [e];
	cvt.u64.u32 %x, %y;
	st.global.u64 [%out+32], %x;
	ld.param.b64 %x, [g];
	st.global.u64 [%out+40], %x;
	ld.param.s8 %x, [h];
	st.global.u64 [%out+48], %x;
	ret;
}
""")
    words = [(i * 2654435761) & 0xffffffff for i in range(2000)]
    picks = list(range(0, 2000, 67))
    f.raw("\n//@ launch large\n" + ints("arg", "u32", words)
          + ints("out", "u32", [words[i] for i in picks]))
    f.raw(""".visible .entry large(.param .align 4 .b8 block[8000], .param .u64 out)
{
	.reg .b64 %out;
	.reg .b32 %x;
	ld.param.u64 %out, [out];
""" + "".join("\tld.param.u32 %%x, [block+%d];\n\tst.global.u32 [%%out+%d], %%x;\n"
              % (4 * w, 4 * k) for k, w in enumerate(picks)) + "\tret;\n}\n")
    f.raw("\n" + "//@ launch indexed block=16\n" + ints("arg", "u32", range(100, 116))
          + ints("out", "u32", [115 - i for i in range(16)]))
    f.raw(""".visible .entry indexed(.param .align 16 .b8 block[64], .param .u64 out)
{
	.reg .b64 %out, %p, %q;
	.reg .b32 %i, %x, %y;
	mov.u32 %i, %tid.x;
	ld.param.u64 %out, [out];
	mad.wide.u32 %out, %i, 4, %out;
	// By a register that holds an address in the parameter space.
	mov.b64 %p, block;
	ld.param.u32 %x, [%p+60];
	// By a generic address, another element for each thread.
	cvta.param.u64 %q, %p;
	sub.u32 %y, 15, %i;
	mad.wide.u32 %q, %y, 4, %q;
	ld.u32 %x, [%q];
	st.global.u32 [%out], %x;
	ret;
}

//@ launch structure
//@ arg u64 0x1122334455667788 0x99aabbccddeeff00
//@ out u32 0x88 0x5566 0xffffffff 0xddeeff00
.visible .entry structure(.param .align 8 .b8 s[16], .param .u64 out)
{
	.reg .b64 %out;
	.reg .b32 %x<4>;
	ld.param.u64 %out, [out];
	ld.param.u8 %x0, [s];
	ld.param.u16 %x1, [s+2];
	ld.param.s8 %x2, [s+9];
	ld.param.v2.u32 {%x3, _}, [s+8];
	st.global.v4.u32 [%out], {%x0, %x1, %x2, %x3};
	ret;
}

//@ launch pointer_attributes
//@ in u32 5 6
//@ out u32 11
.visible .entry pointer_attributes(.param .u64 .ptr .global .align 4 in,
	.param .u64 .ptr .align 4 out)
{
	.reg .b64 %in, %out;
	.reg .b32 %x, %y;
	ld.param.u64 %in, [in];
	ld.param.u64 %out, [out];
	cvta.to.global.u64 %in, %in;
	ld.global.u32 %x, [%in];
	ld.global.u32 %y, [%in+4];
	add.u32 %x, %x, %y;
	st.u32 [%out], %x;
	ret;
}

//@ launch many block=2
""")
    count = 40
    f.raw("".join("//@ arg u32 %d\n" % (k * k) for k in range(count))
          + "//@ out u32 %d*2\n" % sum(k * k for k in range(count)))
    f.raw(".visible .entry many(%s, .param .u64 out)\n{\n\t.reg .b64 %%out;\n"
          "\t.reg .b32 %%i, %%x, %%y;\n\tmov.u32 %%i, %%tid.x;\n\tld.param.u64 %%out, [out];\n"
          "\tmad.wide.u32 %%out, %%i, 4, %%out;\n\tmov.u32 %%x, 0;\n"
          % ",\n\t".join(".param .u32 a%d" % k for k in range(count))
          + "".join("\tld.param.u32 %%y, [a%d];\n\tadd.u32 %%x, %%x, %%y;\n" % k
                    for k in range(count)) + "\tst.global.u32 [%out], %x;\n\tret;\n}\n")
    f.raw("""
//@ launch none grid=2 block=7
.visible .entry none()
{
	ret;
}
""")
    return f


def variables():
    f = File("variables", "Module variables: every form of initialiser, seen from the host and\n"
             "from a kernel.")
    f.raw("""
.global .u8 v_u8 = 200;
.global .s8 v_s8 = -3;
.global .u16 v_u16 = 0xbeef;
.global .s32 v_s32 = -123456;
.global .u64 v_u64 = 0x123456789abcdef0;
.global .s64 v_s64 = -9000000000;
.global .f32 v_f32 = 0f3FC00000;
.global .f32 v_f32_decimal = 1.25;
.global .f64 v_f64 = 0dC00921FB54442D18;
.global .f64 v_f64_decimal = -0.5;
.global .b32 v_expression = (3 + 4 * 5) << 2;
.global .s64 v_expressions[12] = {7 - 2 - 1, 2 + 3 * 4, (2 + 3) * 4, -7 / 2, -7 % 4, 1 << 4 | 3,
	-16 >> 2, 5 > 3 && 2 != 2, !0 + ~0, 0xffffffffffffffff / 2, 1 ? 2 : 3, (.s64) 6 ^ 3};
.global .u32 v_octal = 0777;
.global .u32 v_binary = 0b101101;
.global .u32 v_none;
.global .align 4 .u32 v_list[5] = {1, 2, 3, 4, 5};
.global .align 4 .u32 v_partial[6] = {7, 8};
.global .u32 v_unsized[] = {9, 10, 11};
.global .align 8 .b8 v_bytes[10] = {104, 101, 108, 108, 111, 0, 255, 0x80, -1, 1};
.global .s16 v_nested[2][3] = {{1, -2, 3}, {4, -5, 6}};
.global .s16 v_nested_partial[3][2] = {{1}, {2, 3}};
.global .f32 v_floats[3] = {0f3F800000, 2.0, -0.5};
.global .v4 .f32 v_vector = {1.0, 2.0, 3.0, 4.0};
.const .align 4 .u32 c_list[4] = {11, 22, 33, 44};
.const .u32 c_one = 0xc0ffee;
.global .u64 p_list = v_list;
.global .u64 p_offset = v_list+8;
.global .u64 p_generic = generic(v_list);
.global .u64 p_generic_offset = generic(v_list)+12;
.global .u64 p_const = generic(c_list)+4;
.global .align 8 .u64 p_table[3] = {generic(v_u8), generic(v_list)+4, 0};
.global .u64 p_none = generic(v_none);
.global .align 8 .u8 v_mask[8] = {0xff(v_list), 0xff00(v_list), 0xff0000(v_list),
	0xff000000(v_list), 0xff00000000(v_list), 0xff0000000000(v_list),
	0xff000000000000(v_list), 0xff00000000000000(v_list)};
.global .u32 v_choice = 0x10 == 16 ? 3 : 4;
.visible .global .align 64 .b8 v_aligned[3] = {1, 2, 3};
.visible .func (.param .b32 r) addressee(.param .b32 a)
{
	.reg .b32 %x;
	ld.param.u32 %x, [a];
	st.param.u32 [r], %x;
	ret;
}
.global .u64 p_function = addressee;

//@ launch touch
//@ read v_u8 u8 200
//@ read v_s8 s8 -3
//@ read v_u16 u16 0xbeef
//@ read v_s32 s32 -123456
//@ read v_u64 u64 0x123456789abcdef0
//@ read v_s64 s64 -9000000000
//@ read v_f32 f32 1.5
//@ read v_f32_decimal f32 1.25
//@ read v_f64 b64 0xc00921fb54442d18
//@ read v_f64_decimal f64 -0.5
//@ read v_expression u32 92
//@ read v_expressions s64 4 14 20 -3 1 19 -4 0 0 0x7fffffffffffffff 2 5
//@ read v_octal u32 511
//@ read v_binary u32 45
//@ read v_none u32 0
//@ read v_list u32 1 2 3 4 5
//@ read v_partial u32 7 8 0 0 0 0
//@ read v_unsized u32 9 10 11
//@ read v_bytes u8 104 101 108 108 111 0 255 128 255 1
//@ read v_nested s16 1 -2 3 4 -5 6
//@ read v_nested_partial s16 1 2 3 0 0 0
//@ read v_floats f32 1 2 -0.5
//@ read v_vector f32 1 2 3 4
//@ read c_list u32 11 22 33 44
//@ read c_one u32 0xc0ffee
//@ read v_aligned u8 1 2 3
.visible .entry touch()
{
	ret;
}

//@ launch follow
//@ out u32 1 3 1 4 22 200 2 1 1 1 5
//@ read v_choice u32 3
.visible .entry follow(.param .u64 out)
{
	.reg .pred %p;
	.reg .b32 %x;
	.reg .b64 %out, %a, %b;
	ld.param.u64 %out, [out];
	ld.global.u64 %a, [p_list];
	ld.global.u32 %x, [%a];
	st.global.u32 [%out], %x;
	ld.global.u64 %a, [p_offset];
	ld.global.u32 %x, [%a];
	st.global.u32 [%out+4], %x;
	ld.global.u64 %a, [p_generic];
	ld.u32 %x, [%a];
	st.global.u32 [%out+8], %x;
	ld.global.u64 %a, [p_generic_offset];
	ld.u32 %x, [%a];
	st.global.u32 [%out+12], %x;
	ld.global.u64 %a, [p_const];
	ld.u32 %x, [%a];
	st.global.u32 [%out+16], %x;
	ld.global.u64 %a, [p_table];
	ld.u8 %x, [%a];
	st.global.u32 [%out+20], %x;
	ld.global.u64 %a, [p_table+8];
	ld.u32 %x, [%a];
	st.global.u32 [%out+24], %x;
	ld.global.u64 %a, [p_none];
	mov.u64 %b, v_none;
	cvta.global.u64 %b, %b;
	setp.eq.u64 %p, %a, %b;
	selp.u32 %x, 1, 0, %p;
	st.global.u32 [%out+28], %x;
	ld.global.u64 %a, [p_function];
	mov.u64 %b, addressee;
	setp.eq.u64 %p, %a, %b;
	selp.u32 %x, 1, 0, %p;
	st.global.u32 [%out+32], %x;
	mov.u64 %a, v_aligned;
	and.b64 %a, %a, 63;
	setp.eq.u64 %p, %a, 0;
	selp.u32 %x, 1, 0, %p;
	st.global.u32 [%out+36], %x;
	ld.global.u64 %a, [v_mask];
	ld.global.u32 %x, [%a+16];
	st.global.u32 [%out+40], %x;
	ret;
}

//@ launch read_direct
//@ out u32 200 0xfffffffd 2 33 0xc0ffee 108 0xfffffffe
.visible .entry read_direct(.param .u64 out)
{
	.reg .b32 %x;
	.reg .b64 %out;
	ld.param.u64 %out, [out];
	ld.global.u8 %x, [v_u8];
	st.global.u32 [%out], %x;
	ld.global.s8 %x, [v_s8];
	st.global.u32 [%out+4], %x;
	ld.global.u32 %x, [v_list+4];
	st.global.u32 [%out+8], %x;
	ld.const.u32 %x, [c_list+8];
	st.global.u32 [%out+12], %x;
	ld.const.u32 %x, [c_one];
	st.global.u32 [%out+16], %x;
	ld.global.u8 %x, [v_bytes+2];
	st.global.u32 [%out+20], %x;
	ld.global.s16 %x, [v_nested+2];
	st.global.u32 [%out+24], %x;
	ret;
}

// What the host writes the kernel sees, what the kernel writes the host sees.
//@ launch exchange fresh
//@ write v_none u32 41
//@ write c_one u32 59
//@ read v_none u32 100
//@ read v_list u32 1 2 42 4 5
.visible .entry exchange()
{
	.reg .b32 %x, %y;
	ld.global.u32 %x, [v_none];
	ld.const.u32 %y, [c_one];
	add.u32 %y, %y, %x;
	st.global.u32 [v_none], %y;
	add.u32 %x, %x, 1;
	st.global.u32 [v_list+8], %x;
	ret;
}

//@ launch count grid=3 block=50 fresh
//@ read v_none u32 150
.visible .entry count()
{
	.reg .b32 %x;
	atom.global.add.u32 %x, [v_none], 1;
	ret;
}
""")
    return f


def mov():
    f = File("mov", "mov: values, parts of a word, addresses; cvta, isspacep, prefetch.", version="8.3")
    kernel(f, "pack", "block=32",
           [ints("out", "u32", [(i | (i + 1) << 16) for i in range(32)])], """
        cvt.u16.u32 %h1, %i;
        add.u16 %h2, %h1, 1;
        mov.b32 %r3, {%h1, %h2};
        st.global.u32 [%out], %r3;""")
    kernel(f, "unpack", "block=32",
           [ints("out", "u32", [(i * 65537 + 5 & 0xffff) * 3 + (i * 65537 + 5 >> 16)
                                for i in range(32)])], """
        mad.lo.u32 %r3, %i, 65537, 5;
        mov.b32 {%h1, %h2}, %r3;
        cvt.u32.u16 %r4, %h1;
        cvt.u32.u16 %r5, %h2;
        mad.lo.u32 %r6, %r4, 3, %r5;
        st.global.u32 [%out], %r6;""")
    kernel(f, "pack64", "block=32", [ints("out", "u32", [7 * i + 9 for i in range(32)])], """
        mov.u32 %r3, 9;
        mov.b64 %rd1, {%i, %r3};
        mul.lo.u64 %rd1, %rd1, 1;
        mov.b64 {%r4, %r5}, %rd1;
        mad.lo.u32 %r6, %r4, 7, %r5;
        st.global.u32 [%out], %r6;""")
    kernel(f, "quarters", "block=32",
           [ints("out", "u32", [i + 3 * (i + 1) + 5 * (i + 2) + 7 * (i + 3) for i in range(32)])],
           """
        cvt.u16.u32 %h1, %i;
        add.u16 %h2, %h1, 1;
        add.u16 %h3, %h1, 2;
        add.u16 %h4, %h1, 3;
        mov.b64 %rd1, {%h1, %h2, %h3, %h4};
        mov.b64 {%h4, %h3, %h2, %h1}, %rd1;
        cvt.u32.u16 %r3, %h4;
        cvt.u32.u16 %r4, %h3;
        mad.lo.u32 %r3, %r4, 3, %r3;
        cvt.u32.u16 %r4, %h2;
        mad.lo.u32 %r3, %r4, 5, %r3;
        cvt.u32.u16 %r4, %h1;
        mad.lo.u32 %r3, %r4, 7, %r3;
        st.global.u32 [%out], %r3;""")
    kernel(f, "sink", "block=32", [ints("out", "u32", [i + 77 for i in range(32)])], """
        mov.u32 %r3, 77;
        mov.b64 %rd1, {%i, %r3};
        mov.b64 {_, %r4}, %rd1;
        mov.b64 {%r5, _}, %rd1;
        add.u32 %r4, %r4, %r5;
        st.global.u32 [%out], %r4;""")
    kernel(f, "double_parts", "block=32",
           [ints("out", "u32", [0x3ff80000 + i for i in range(32)])], """
        mov.f64 %fd1, 0d3FF8000000000000;
        mov.b64 {%r3, %r4}, %fd1;
        add.u32 %r4, %r4, %i;
        mov.b64 %fd2, {%r3, %r4};
        mov.b64 %rd1, %fd2;
        shr.u64 %rd1, %rd1, 32;
        cvt.u32.u64 %r5, %rd1;
        st.global.u32 [%out], %r5;""")
    kernel(f, "predicate", "block=32", [ints("out", "u32", [int(i > 4) for i in range(32)])], """
        setp.gt.u32 %p1, %i, 4;
        mov.pred %p2, %p1;
        selp.u32 %r3, 1, 0, %p2;
        st.global.u32 [%out], %r3;""")
    kernel(f, "immediates", "block=4",
           [ints("out", "u32", [0x3f800000 + 0x10 + 0xffffffff + 65 & 0xffffffff] * 4)], """
        mov.f32 %f1, 0f3F800000;
        mov.b32 %r3, %f1;
        mov.u32 %r4, 0x10;
        mov.s32 %r5, -1;
        mov.u32 %r6, (60 + 5);
        add.u32 %r3, %r3, %r4;
        add.u32 %r3, %r3, %r5;
        add.u32 %r3, %r3, %r6;
        st.global.u32 [%out], %r3;""")
    kernel(f, "nan_bits_survive", "block=4", [ints("out", "u32", [0xffa12345] * 4)], """
        mov.f32 %f1, 0fFFA12345;
        mov.f32 %f2, %f1;
        setp.lt.u32 %p1, %i, 9;
        selp.f32 %f3, %f2, 0f00000000, %p1;
        st.global.f32 [%out], %f3;""", note="mov, selp and st do not make a NaN quiet.")
    f.raw("""
// ld does not make a NaN quiet: alone, in a vector, from one address, from shared memory.
//@ launch nan_bits_loaded block=8
//@ in u32 4288750400..4288750527
//@ out u32 4288750400..4288750407
//@ out u32 0xffa12351 0xffa12355 0xffa12359 0xffa1235d 0xffa12361 0xffa12365 0xffa12369
//@ + 0xffa1236d
//@ out u32 0xffa12343*8
//@ out u32 0xffa12347 0xffa12346 0xffa12345 0xffa12344 0xffa12343 0xffa12342 0xffa12341
//@ + 0xffa12340
.visible .entry nan_bits_loaded(.param .u64 in, .param .u64 each, .param .u64 vector,
	.param .u64 one, .param .u64 shared)
{
	.reg .b32 %r<8>;
	.reg .f32 %f<8>;
	.reg .b64 %rd<12>;
	.shared .align 4 .b8 words[32];
	ld.param.u64 %rd1, [in];
	mov.u32 %r1, %tid.x;
	mul.wide.u32 %rd2, %r1, 4;
	add.u64 %rd3, %rd1, %rd2;
	ld.global.f32 %f1, [%rd3];
	ld.param.u64 %rd4, [each];
	add.u64 %rd4, %rd4, %rd2;
	st.global.f32 [%rd4], %f1;
	mad.wide.u32 %rd5, %r1, 16, %rd1;
	ld.global.v4.f32 {%f2, %f3, %f4, %f5}, [%rd5+64];
	ld.param.u64 %rd6, [vector];
	add.u64 %rd6, %rd6, %rd2;
	st.global.f32 [%rd6], %f3;
	ld.global.f32 %f6, [%rd1+12];
	ld.param.u64 %rd7, [one];
	add.u64 %rd7, %rd7, %rd2;
	st.global.f32 [%rd7], %f6;
	mov.u64 %rd8, words;
	add.u64 %rd9, %rd8, %rd2;
	st.shared.f32 [%rd9], %f1;
	bar.warp.sync 0xff;
	sub.u64 %rd10, 28, %rd2;
	add.u64 %rd10, %rd8, %rd10;
	ld.shared.f32 %f7, [%rd10];
	ld.param.u64 %rd11, [shared];
	add.u64 %rd11, %rd11, %rd2;
	st.global.f32 [%rd11], %f7;
	ret;
}
""")
    kernel(f, "spaces", "block=32", [ints("out", "u32", [0b11111111] * 32)], """
        mov.u32 %r9, 0;
        mov.u64 %rd1, room;
        cvta.shared.u64 %rd2, %rd1;
        isspacep.shared %p1, %rd2;
        isspacep.global %p2, %rd2;
        isspacep.local %p3, %rd2;
        @%p1 or.b32 %r9, %r9, 1;
        @!%p2 or.b32 %r9, %r9, 2;
        @!%p3 or.b32 %r9, %r9, 4;
        cvta.to.shared.u64 %rd3, %rd2;
        setp.eq.u64 %p1, %rd3, %rd1;
        @%p1 or.b32 %r9, %r9, 8;
        mov.u64 %rd4, stack;
        cvta.local.u64 %rd5, %rd4;
        isspacep.local %p1, %rd5;
        isspacep.shared %p2, %rd5;
        @%p1 or.b32 %r9, %r9, 16;
        @!%p2 or.b32 %r9, %r9, 32;
        cvta.to.local.u64 %rd6, %rd5;
        setp.eq.u64 %p1, %rd6, %rd4;
        @%p1 or.b32 %r9, %r9, 64;
        isspacep.global %p1, %out;
        @%p1 or.b32 %r9, %r9, 128;
        st.global.u32 [%out], %r9;""",
           extra=".shared .align 4 .b8 room[64];\n.local .align 4 .b8 stack[64];")
    kernel(f, "const_space", "block=32", [ints("out", "u32", [7] * 32)], """
        mov.u32 %r9, 0;
        mov.u64 %rd1, constant;
        cvta.const.u64 %rd2, %rd1;
        isspacep.const %p1, %rd2;
        @%p1 or.b32 %r9, %r9, 1;
        cvta.to.const.u64 %rd3, %rd2;
        ld.const.u32 %r3, [%rd3+4];
        setp.eq.u32 %p1, %r3, 21;
        @%p1 or.b32 %r9, %r9, 2;
        ld.u32 %r3, [%rd2];
        setp.eq.u32 %p1, %r3, 20;
        @%p1 or.b32 %r9, %r9, 4;
        st.global.u32 [%out], %r9;""", note="A generic address of a constant.")
    kernel(f, "param_space", "block=32", [
        ints("arg", "u32", [3, 5, 7, 11]), ints("out", "u32", [0b1111111 + 11] * 32)], """
        mov.u32 %r9, 0;
        mov.u64 %rd1, p_block;
        cvta.param::entry.u64 %rd2, p_block;
        isspacep.param %p1, %rd2;
        @%p1 or.b32 %r9, %r9, 1;
        isspacep.param::entry %p1, %rd2;
        @%p1 or.b32 %r9, %r9, 2;
        isspacep.param %p1, %out;
        @!%p1 or.b32 %r9, %r9, 4;
        isspacep.param::entry %p1, %out;
        @!%p1 or.b32 %r9, %r9, 8;
        cvta.to.param.u64 %rd3, %rd2;
        ld.param.u32 %r3, [%rd3+4];
        setp.eq.u32 %p1, %r3, 5;
        @%p1 or.b32 %r9, %r9, 16;
        cvta.to.param::entry.u64 %rd3, %rd2;
        ld.param::entry.u32 %r3, [%rd3+8];
        setp.eq.u32 %p1, %r3, 7;
        @%p1 or.b32 %r9, %r9, 32;
        cvta.param.u64 %rd4, %rd1;
        setp.eq.u64 %p1, %rd4, %rd2;
        @%p1 or.b32 %r9, %r9, 64;
        ld.u32 %r3, [%rd2+12];
        add.u32 %r9, %r9, %r3;
        st.global.u32 [%out], %r9;""", params=("block", "out"), by_value={"block": 16},
           note="Generic addresses of a parameter.")
    kernel(f, "shared_cta", "block=32", [ints("out", "u32", [7] * 32)], """
        mov.u32 %r9, 0;
        cvta.shared::cta.u64 %rd1, room1;
        isspacep.shared::cta %p1, %rd1;
        @%p1 or.b32 %r9, %r9, 1;
        cvta.to.shared::cta.u64 %rd2, %rd1;
        mov.u64 %rd3, room1;
        setp.eq.u64 %p1, %rd2, %rd3;
        @%p1 or.b32 %r9, %r9, 2;
        cvta.shared::cta.u64 %rd2, %rd2;
        setp.eq.u64 %p1, %rd2, %rd1;
        @%p1 or.b32 %r9, %r9, 4;
        st.global.u32 [%out], %r9;""", extra=".shared .align 4 .b8 room1[64];")
    kernel(f, "signed_moves", "block=32", [ints("out", "u32", [-i & 0xffffffff for i in range(32)])],
           """
        cvt.u16.u32 %h1, %i;
        neg.s16 %h1, %h1;
        mov.s16 %h2, %h1;
        cvt.s64.s16 %rd1, %h2;
        mov.s64 %rd2, %rd1;
        cvt.u32.u64 %r3, %rd2;
        st.global.u32 [%out], %r3;""")
    kernel(f, "wide_immediate", "block=32", [
        ints("out", "u32", [0x9abcdef0 + 0x12345678 + 0xffffffff * 2 & 0xffffffff] * 32)], """
        mov.b128 %q0, 0x123456789abcdef0;
        mov.b128 {%r3, %r4, %r5, %r6}, %q0;
        add.u32 %r3, %r3, %r4;
        or.b32 %r5, %r5, %r6;
        mad.lo.u32 %r3, %r5, 3, %r3;
        mov.b128 %q0, -1;
        mov.b128 {%r4, %r5, %r6, %r7}, %q0;
        add.u32 %r4, %r4, %r5;
        or.b32 %r6, %r6, %r7;
        mad.lo.u32 %r4, %r6, 5, %r4;
        add.u32 %r3, %r3, %r4;
        st.global.u32 [%out], %r3;""", extra=".reg .b128 %q0;",
           note="Of an immediate there are 64 bits, and zeros above them.")
    kernel(f, "events", "block=64", [ints("out", "u32", range(64))], """
        pmevent 7;
        setp.lt.u32 %p1, %i, 5;
        @%p1 pmevent 0;
        pmevent.mask 7;
        st.global.u32 [%out], %i;
        ret.uni;""", note="An event of the performance monitor changes nothing in the program.")
    kernel(f, "shared_at_zero", "block=32", [ints("out", "u32", [i * 2 for i in range(32)])], """
        mov.u32 %r3, %i;
        shl.b32 %r4, %i, 2;
        shl.b32 %r5, %i, 1;
        mov.u32 %r6, room0;
        add.u32 %r4, %r4, %r6;
        st.shared.u32 [%r4], %r5;
        ld.shared.u32 %r7, [%r4];
        st.global.u32 [%out], %r7;""", extra=".shared .align 4 .b8 room0[128];",
           note="32-bit addresses in the shared space, 0 among them.")
    kernel(f, "prefetch", "block=32", [ints("out", "u32", range(32))], """
        prefetch.global.L1 [%out];
        prefetch.global.L2 [%out];
        prefetch.L1 [%out];
        prefetchu.L1 [%out];
        prefetch.global.L2::evict_last [%out];
        st.global.u32 [%out], %i;""")
    kernel(f, "fences", "block=32", [ints("out", "u32", range(32))], """
        membar.cta;
        membar.gl;
        membar.sys;
        fence.sc.cta;
        fence.sc.gpu;
        fence.sc.sys;
        fence.acq_rel.cta;
        fence.acq_rel.gpu;
        fence.acq_rel.sys;
        st.global.u32 [%out], %i;""")
    f.head += "\n.const .align 4 .u32 constant[2] = {20, 21};\n"
    return f


def shared():
    f = File("shared", "Shared memory: static and dynamic, in one block and apart from others.")
    f.raw("\n.extern .shared .align 16 .b8 dynamic[];\n.shared .align 8 .b8 fixed[256];\n"
          ".shared .u32 counter;\n")
    kernel(f, "dynamic_after_static", "block=64 shared=256",
           [ints("out", "u32", [i + 1000 - i for i in range(64)])], """
        mov.u64 %rd1, dynamic;
        mov.u64 %rd2, fixed;
        mad.wide.u32 %rd3, %i, 4, %rd1;
        mad.wide.u32 %rd4, %i, 4, %rd2;
        st.shared.u32 [%rd3], %i;
        sub.u32 %r3, 1000, %i;
        st.shared.u32 [%rd4], %r3;
        bar.sync 0;
        ld.shared.u32 %r4, [%rd3];
        ld.shared.u32 %r5, [%rd4];
        add.u32 %r4, %r4, %r5;
        st.global.u32 [%out], %r4;""", note="The two do not overlap.")
    kernel(f, "large", "block=32 shared=102400",
           [ints("out", "u32", [i * 5 for i in range(32)])], """
        mov.u64 %rd1, dynamic;
        mad.wide.u32 %rd2, %i, 3200, %rd1;
        mul.lo.u32 %r3, %i, 5;
        st.shared.u32 [%rd2+3196], %r3;
        bar.sync 0;
        ld.shared.u32 %r4, [%rd2+3196];
        st.global.u32 [%out], %r4;""", note="More than 48 KiB.")
    kernel(f, "own_per_block", "grid=8 block=32",
           [ints("out", "u32", [32 + i // 32 for i in range(256)])], """
        mov.u32 %r3, %tid.x;
        setp.eq.u32 %p1, %r3, 0;
        mov.u32 %r4, %ctaid.x;
        @%p1 st.shared.u32 [counter], %r4;
        bar.sync 0;
        atom.shared.add.u32 %r5, [counter], 1;
        bar.sync 0;
        ld.shared.u32 %r6, [counter];
        st.global.u32 [%out], %r6;""")
    kernel(f, "in_function_scope", "block=32", [ints("out", "u32", [31 - i for i in range(32)])],
           """
        mov.u64 %rd1, mine;
        mad.wide.u32 %rd2, %i, 4, %rd1;
        st.shared.u32 [%rd2], %i;
        bar.sync 0;
        sub.u32 %r3, 31, %i;
        mad.wide.u32 %rd2, %r3, 4, %rd1;
        ld.shared.u32 %r4, [%rd2];
        st.global.u32 [%out], %r4;""", extra=".shared .align 4 .b8 mine[128];")
    return f


def spin():
    f = File("spin", "Waiting for another thread or block: locks, flags, order of stores.")
    f.raw("\n.global .u32 lock;\n.global .u32 counter;\n.global .u32 ticket;\n")
    f.raw("""
// Each of 4096 threads takes one lock: lanes of a warp must make progress apart.
//@ launch locks grid=16 block=256 fresh timeout=60
//@ read counter u32 4096
//@ read lock u32 0
.visible .entry locks()
{
	.reg .pred %p;
	.reg .b32 %x;
$again:
	atom.global.cas.b32 %x, [lock], 0, 1;
	setp.ne.u32 %p, %x, 0;
	@%p bra $again;
	membar.gl;
	ld.volatile.global.u32 %x, [counter];
	add.u32 %x, %x, 1;
	st.volatile.global.u32 [counter], %x;
	membar.gl;
	atom.global.exch.b32 %x, [lock], 0;
	ret;
}

// The holder of the lock releases it behind the loop's exit.
//@ launch locks_acquire grid=4 block=128 fresh timeout=60
//@ read counter u32 512
.visible .entry locks_acquire()
{
	.reg .pred %p;
	.reg .b32 %x;
	bra $try;
$wait:
	nanosleep.u32 20;
$try:
	atom.acquire.gpu.global.cas.b32 %x, [lock], 0, 1;
	setp.ne.u32 %p, %x, 0;
	@%p bra $wait;
	ld.relaxed.gpu.global.u32 %x, [counter];
	add.u32 %x, %x, 1;
	st.relaxed.gpu.global.u32 [counter], %x;
	st.release.gpu.global.u32 [lock], 0;
	ret;
}

// Lane 0 waits for lane 31 of its own warp.
//@ launch lane_waits block=32 timeout=30
//@ inout u32 0
//@ out u32 77
.visible .entry lane_waits(.param .u64 flag, .param .u64 out)
{
	.reg .pred %p;
	.reg .b32 %i, %x;
	.reg .b64 %flag, %out;
	ld.param.u64 %flag, [flag];
	ld.param.u64 %out, [out];
	mov.u32 %i, %tid.x;
	setp.eq.u32 %p, %i, 0;
	@!%p bra $other;
$wait:
	ld.volatile.global.u32 %x, [%flag];
	setp.eq.u32 %p, %x, 0;
	@%p bra $wait;
	st.global.u32 [%out], %x;
	ret;
$other:
	setp.ne.u32 %p, %i, 31;
	@%p ret;
	st.volatile.global.u32 [%flag], 77;
	ret;
}

// Block 0 waits for what the last of 20 blocks stores.
//@ launch block_waits grid=20 block=64 timeout=30
//@ inout u32 0
//@ inout u32 0
//@ out u32 1900
.visible .entry block_waits(.param .u64 flag, .param .u64 box, .param .u64 out)
{
	.reg .pred %p;
	.reg .b32 %i, %c, %x;
	.reg .b64 %flag, %box, %out;
	ld.param.u64 %flag, [flag];
	ld.param.u64 %box, [box];
	ld.param.u64 %out, [out];
	mov.u32 %i, %tid.x;
	mov.u32 %c, %ctaid.x;
	setp.ne.u32 %p, %i, 0;
	@%p ret;
	setp.eq.u32 %p, %c, 0;
	@%p bra $wait;
	setp.ne.u32 %p, %c, 19;
	@%p ret;
	mul.lo.u32 %x, %c, 100;
	st.global.u32 [%box], %x;
	fence.acq_rel.gpu;
	st.relaxed.gpu.global.u32 [%flag], 1;
	ret;
$wait:
	ld.acquire.gpu.global.u32 %x, [%flag];
	setp.eq.u32 %p, %x, 0;
	@%p bra $wait;
	ld.global.u32 %x, [%box];
	st.global.u32 [%out], %x;
	ret;
}

// Blocks hand a number on, each to the next: blocks start in order.
//@ launch chain grid=64 block=32 fresh timeout=30
//@ out u32 {0}
.visible .entry chain(.param .u64 out)
{{
	.reg .pred %p;
	.reg .b32 %i, %c, %x;
	.reg .b64 %out;
	ld.param.u64 %out, [out];
	mov.u32 %i, %tid.x;
	mov.u32 %c, %ctaid.x;
	setp.ne.u32 %p, %i, 0;
	@%p ret;
$wait:
	ld.acquire.gpu.global.u32 %x, [ticket];
	setp.ne.u32 %p, %x, %c;
	@%p bra $wait;
	mul.lo.u32 %x, %c, %c;
	mad.wide.u32 %out, %c, 4, %out;
	st.global.u32 [%out], %x;
	add.u32 %c, %c, 1;
	st.release.gpu.global.u32 [ticket], %c;
	ret;
}}

// A warp waits for another warp of its block through shared memory.
//@ launch warp_waits block=64 timeout=30
//@ out u32 5
.visible .entry warp_waits(.param .u64 out)
{{
	.shared .u32 flag;
	.reg .pred %p;
	.reg .b32 %i, %x;
	.reg .b64 %out;
	ld.param.u64 %out, [out];
	mov.u32 %i, %tid.x;
	setp.eq.u32 %p, %i, 0;
	@%p st.shared.u32 [flag], 0;
	bar.sync 0;
	setp.eq.u32 %p, %i, 63;
	@%p st.volatile.shared.u32 [flag], 5;
	setp.ne.u32 %p, %i, 0;
	@%p ret;
$wait:
	ld.volatile.shared.u32 %x, [flag];
	setp.eq.u32 %p, %x, 0;
	@%p bra $wait;
	st.global.u32 [%out], %x;
	ret;
}}
""".replace("{{", "{").replace("}}", "}").replace("{0}", " ".join(str(i * i) for i in range(64))))
    return f


def faults():
    f = File("fault", "What ends a launch with an error: addresses, alignment, trap.")

    def one(name, codes, body, launch="block=32", extra=""):
        kernel(f, name, launch, ["//@ out u32 _*32\n",
                                 "//@ fault %s\n" % codes], body, extra=extra)
    one("null_load", "700", "mov.u64 %rd1, 0;\nld.global.u32 %r3, [%rd1];\n"
        "st.global.u32 [%out], %r3;")
    one("null_store", "700", "mov.u64 %rd1, 0;\nst.global.u32 [%rd1], %i;")
    one("null_generic", "700", "mov.u64 %rd1, 16;\nst.u32 [%rd1], %i;")
    one("null_atomic", "700", "mov.u64 %rd1, 0;\natom.global.add.u32 %r3, [%rd1], 1;\n"
        "st.global.u32 [%out], %r3;")
    one("far_away", "700", "mov.u64 %rd1, 0x100000000000;\nadd.u64 %rd1, %rd1, %out;\n"
        "st.global.u32 [%rd1], %i;")
    one("one_lane", "700", """
        setp.eq.u32 %p1, %i, 17;
        mov.u64 %rd1, 0;
        selp.b64 %rd2, %rd1, %out, %p1;
        st.global.u32 [%rd2], %i;""")
    for size, t in ((2, "u16"), (4, "u32"), (8, "u64")):
        reg = {2: "%h1", 4: "%r3", 8: "%rd3"}[size]
        for verb in ("ld", "st"):
            text = "add.u64 %%rd1, %%out, %d;\n" % (size // 2)
            if verb == "ld":
                text += "ld.global.%s %s, [%%rd1];\nst.global.%s [%%out], %s;" % (t, reg, t, reg)
            else:
                text += "mov.%s %s, 1;\nst.global.%s [%%rd1], %s;" % (t, reg, t, reg)
            one("misaligned_%s_%s" % (verb, t), "716", text, "block=1")
    one("misaligned_v2", "716", "add.u64 %rd1, %out, 4;\nld.global.v2.u32 {%r3, %r4}, [%rd1];\n"
        "add.u32 %r3, %r3, %r4;\nst.global.u32 [%out], %r3;", "block=1")
    one("misaligned_v4", "716", "add.u64 %rd1, %out, 8;\n"
        "st.global.v4.u32 [%rd1], {%i, %i, %i, %i};", "block=1")
    one("misaligned_one_lane", "716", """
        setp.eq.u32 %p1, %i, 9;
        mov.u64 %rd1, %out;
        @%p1 add.u64 %rd1, %rd1, 2;
        st.global.u32 [%rd1], %i;""")
    one("misaligned_atom", "716", "add.u64 %rd1, %out, 2;\natom.global.add.u32 %r3, [%rd1], 1;\n"
        "st.global.u32 [%out], %r3;", "block=1")
    one("misaligned_shared", "716", "mov.u64 %rd1, room;\nst.shared.u32 [%rd1+2], %i;\n"
        "ld.shared.u32 %r3, [%rd1+2];\nst.global.u32 [%out], %r3;", "block=1",
        extra=".shared .align 8 .b8 room[64];")
    one("misaligned_generic", "716", "add.u64 %rd1, %out, 1;\nst.u16 [%rd1], 1;", "block=1")
    one("trap", "715 719", "trap;", "block=1")
    one("trap_one_lane", "715 719", "setp.eq.u32 %p1, %i, 30;\n@%p1 trap;\n"
        "st.global.u32 [%out], %i;")
    one("shared_beyond", "700 715", "mov.u64 %rd1, room;\nadd.u64 %rd1, %rd1, 0x4000000;\n"
        "st.shared.u32 [%rd1], %i;", "block=1", extra=".shared .align 8 .b8 room[64];")
    f.raw("""
// Recursion without an end runs out of stack.
.func (.param .b32 r) endless(.param .b32 a)
{
	.local .align 16 .b8 frame[1024];
	.reg .b32 %x, %y;
	.reg .b64 %f;
	ld.param.u32 %x, [a];
	mov.u64 %f, frame;
	st.local.u32 [%f], %x;
	add.u32 %x, %x, 1;
	{
		.param .b32 b;
		.param .b32 s;
		st.param.u32 [b], %x;
		call (s), endless, (b);
		ld.param.u32 %y, [s];
	}
	ld.local.u32 %x, [%f];
	add.u32 %x, %x, %y;
	st.param.u32 [r], %x;
	ret;
}

//@ launch stack_overflow block=2 timeout=60
//@ out u32 _ _
//@ fault 700 717 719
.visible .entry stack_overflow(.param .u64 p_out)
{
	.reg .b32 %i, %x;
	.reg .b64 %out;
	ld.param.u64 %out, [p_out];
	mov.u32 %i, %tid.x;
	{
		.param .b32 b;
		.param .b32 s;
		st.param.u32 [b], %i;
		call (s), endless, (b);
		ld.param.u32 %x, [s];
	}
	st.global.u32 [%out], %x;
	ret;
}

// The last thing a program may do is a launch that works, in spite of all these.
//@ launch fine block=32
//@ out u32 0..31
.visible .entry fine(.param .u64 p_out)
{
	.reg .b32 %i;
	.reg .b64 %out;
	ld.param.u64 %out, [p_out];
	mov.u32 %i, %tid.x;
	mad.wide.u32 %out, %i, 4, %out;
	st.global.u32 [%out], %i;
	ret;
}
""")
    return f


def output():
    f = File("vprintf", "vprintf and __assertfail as compilers call them.")
    f.raw("""
.extern .func (.param .b32 r) vprintf(.param .b64 format, .param .b64 arguments);
.extern .func __assertfail(.param .b64 message, .param .b64 file, .param .b32 line,
	.param .b64 function, .param .b64 charsize);
""")

    def string(name, text):
        data = [ord(c) for c in text] + [0]
        f.raw(".global .align 1 .b8 %s[%d] = {%s};\n" % (name, len(data),
                                                        ", ".join(map(str, data))))
    string("s_plain", "hello\n")
    string("s_ints", "%d %u %x %X %o %c|%5d|%-5d|%05d|%+d\n")
    string("s_longs", "%ld %llu %llx %p\n")
    string("s_floats", "%f %.2f %e %g %10.3f|\n")
    string("s_text", "[%s] [%8s] [%-8s] %%\n")
    string("s_lane", "lane %d\n")
    string("s_mixed", "%c %f %d %lld %hd %s %d %5.1f|\n")
    string("s_star", "%*d|%-*d|%d\n")
    string("s_halves", "%hd %hu %hx %d\n")
    string("word", "word")
    string("a_message", "i < 20")
    string("a_file", "source.cu")
    string("a_function", "void check(int)")

    def printf(name, fmt, args, expect, launch="block=1", before="", after=""):
        body = "mov.u64 %rd1, frame;\ncvta.local.u64 %rd2, %rd1;\n" + before
        offset = 0
        for t, value in args:
            size = int(t[1:]) // 8
            offset = (offset + size - 1) // size * size
            body += "st.local.%s [%%rd1+%d], %s;\n" % (t, offset, value)
            offset += size
        body += """
            mov.u64 %%rd3, %s;
            cvta.global.u64 %%rd4, %%rd3;
            {
            .param .b64 a;
            .param .b64 b;
            .param .b32 v;
            st.param.b64 [a], %%rd4;
            st.param.b64 [b], %%rd2;
            call.uni (v), vprintf, (a, b);
            ld.param.b32 %%r9, [v];
            }
        """ % fmt
        text = "//@ print \"%s\"\n" % expect.replace("\\", "\\\\").replace('"', '\\"') \
            .replace("\n", "\\n")
        kernel(f, name, launch, [text], body + after, (),
               extra=".local .align 8 .b8 frame[96];")
    printf("plain", "s_plain", [], "hello\n")
    printf("integers", "s_ints",
           [("s32", "-5"), ("u32", "4000000000"), ("u32", "255"), ("u32", "0xBEEF"),
            ("u32", "8"), ("u32", "65"), ("s32", "42"), ("s32", "42"), ("s32", "42"),
            ("s32", "42")],
           "-5 4000000000 ff BEEF 10 A|   42|42   |00042|+42\n")
    printf("longs", "s_longs",
           [("s64", "-5000000000"), ("u64", "18446744073709551615"),
            ("u64", "0x123456789abcdef0"), ("u64", "0x1234")],
           "-5000000000 18446744073709551615 123456789abcdef0 0x1234\n")
    printf("floats", "s_floats",
           [("f64", "0d3FF8000000000000"), ("f64", "0d400921FB54442D18"),
            ("f64", "0d40FE240000000000"), ("f64", "0d3F50624DD2F1A9FC"),
            ("f64", "0dC0091EB851EB851F")],
           "1.500000 3.14 %e 0.001     -3.140|\n".replace("%e", "1.234560e+05"))
    printf("text", "s_text", [("u64", "%rd10"), ("u64", "%rd10"), ("u64", "%rd10")],
           "[word] [    word] [word    ] %\n",
           before="mov.u64 %rd9, word;\ncvta.global.u64 %rd10, %rd9;\n")
    # 8 bytes behind 4: a gap; what is shorter than an int has its 4 bytes
    printf("mixed", "s_mixed",
           [("u32", "65"), ("f64", "0d3FF8000000000000"), ("s32", "-7"),
            ("s64", "-5000000000"), ("s32", "-3"), ("u64", "%rd10"), ("s32", "9"),
            ("f64", "0dC0091EB851EB851F")],
           "A 1.500000 -7 -5000000000 -3 word 9  -3.1|\n",
           before="mov.u64 %rd9, word;\ncvta.global.u64 %rd10, %rd9;\n")
    printf("star", "s_star", [("s32", "5"), ("s32", "42"), ("s32", "6"), ("s32", "-42"),
                              ("s32", "1")],
           "   42|-42   |1\n")
    printf("halves", "s_halves", [("s32", "0x1fffe"), ("u32", "0x1ffff"), ("u32", "0x12345678"),
                                  ("s32", "9")],
           "-2 65535 5678 9\n")
    printf("lanes", "s_lane", [("u32", "%r10")], "".join("lane %d\n" % i for i in range(32)),
           "block=32", before="mov.u32 %r10, %tid.x;\n")
    printf("some_lanes", "s_lane", [("u32", "%r10")],
           "".join("lane %d\n" % i for i in range(3, 32, 4)),
           "block=32", before="mov.u32 %r10, %tid.x;\nand.b32 %r11, %r10, 3;\n"
           "setp.ne.u32 %p1, %r11, 3;\n@%p1 ret;\n")
    f.raw("""
// What vprintf returns: how many arguments it took.
//@ launch result
//@ out u32 0
//@ print "hello\\n"
.visible .entry result(.param .u64 p_out)
{
	.reg .b32 %r;
	.reg .b64 %out, %s;
	ld.param.u64 %out, [p_out];
	mov.u64 %s, s_plain;
	cvta.global.u64 %s, %s;
	{
		.param .b64 a;
		.param .b64 b;
		.param .b32 v;
		st.param.b64 [a], %s;
		st.param.b64 [b], 0;
		call.uni (v), vprintf, (a, b);
		ld.param.b32 %r, [v];
	}
	st.global.u32 [%out], %r;
	ret;
}

//@ launch result_of_four
//@ out u32 4
//@ print "-2 65535 5678 9\\n"
.visible .entry result_of_four(.param .u64 p_out)
{
	.reg .b32 %r;
	.reg .b64 %out, %s, %a;
	.local .align 8 .b8 frame[16];
	ld.param.u64 %out, [p_out];
	mov.u64 %s, s_halves;
	cvta.global.u64 %s, %s;
	st.local.u32 [frame], 0x1fffe;
	st.local.u32 [frame+4], 0x1ffff;
	st.local.u32 [frame+8], 0x12345678;
	st.local.u32 [frame+12], 9;
	mov.u64 %a, frame;
	cvta.local.u64 %a, %a;
	{
		.param .b64 a;
		.param .b64 b;
		.param .b32 v;
		st.param.b64 [a], %s;
		st.param.b64 [b], %a;
		call.uni (v), vprintf, (a, b);
		ld.param.b32 %r, [v];
	}
	st.global.u32 [%out], %r;
	ret;
}

// An assertion ends the launch with 710.
//@ launch assertion grid=2 block=16
//@ fault 710
//@ error "source.cu:17: void check(int): block: [1,0,0], thread: [4,0,0] Assertion `i < 20` failed."
.visible .entry assertion()
{
	.reg .pred %p;
	.reg .b32 %i, %c, %n;
	.reg .b64 %m, %s, %f;
	mov.u32 %i, %tid.x;
	mov.u32 %c, %ctaid.x;
	mov.u32 %n, %ntid.x;
	mad.lo.u32 %i, %c, %n, %i;
	setp.ne.u32 %p, %i, 20;
	@%p bra $fine;
	mov.u64 %m, a_message;
	cvta.global.u64 %m, %m;
	mov.u64 %s, a_file;
	cvta.global.u64 %s, %s;
	mov.u64 %f, a_function;
	cvta.global.u64 %f, %f;
	{
		.param .b64 a;
		.param .b64 b;
		.param .b32 c;
		.param .b64 d;
		.param .b64 e;
		st.param.b64 [a], %m;
		st.param.b64 [b], %s;
		st.param.b32 [c], 17;
		st.param.b64 [d], %f;
		st.param.b64 [e], 1;
		call.uni __assertfail, (a, b, c, d, e);
	}
$fine:
	ret;
}
""")
    return f


def bad_modules():
    """Modules that must not load; each is a file of its own."""
    body = "\n.visible .entry k()\n{\n%s\tret;\n}\n"
    made = []

    def one(name, title, code, text, version="8.0", target="sm_90"):
        f = File("bad_" + name, title, version, target)
        f.raw("//@ load %s\n" % code + text)
        made.append(f)
    one("syntax", "A line that is no PTX.", "218", body % "\tadd.u32 %r1, , 3;\n")
    one("undeclared", "A register that is not declared.", "218", body % "\tmov.u32 %x, 1;\n")
    one("label", "A branch to no label.", "218", body % "\tbra $nowhere;\n")
    one("function", "A call of a function that is not declared.", "218",
        body % "\tcall nothing;\n")
    one("opcode", "An instruction that does not exist.", "218",
        body % "\t.reg .b32 %r;\n\tfrobnicate.b32 %r, 1;\n")
    one("special", "A special register that does not exist.", "218",
        body % "\t.reg .b32 %r;\n\tmov.u32 %r, %nothing;\n")
    one("coordinates", "Coordinates behind an address with an offset.", "218",
        body % "\t.reg .b64 %d;\n\tcp.async.bulk.prefetch.tensor.1d.L2.global [%d+64, {0}];\n")
    room = "\n.visible .entry k(.param .align 4 .b8 p[%d])\n{\n\tret;\n}\n"
    one("params", "More parameters than an entry can have.", "218", room % 32768, version="8.1")
    one("params_once", "More parameters than an entry could have before PTX 8.1.", "218",
        room % 4356)
    one("version", "A PTX version of the future.", "218 222", body % "", version="99.0")
    one("cut", "A kernel without its end.", "218", "\n.visible .entry k()\n{\n\tret;\n")
    return made


def files():
    return [call(), call_registers(), params(), variables(), mov(), shared(), spin(), faults(), output()] \
        + bad_modules()
