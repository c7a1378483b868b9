/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Sources: the PTX ISA, "Floating Point Instructions" to "Data Movement and
 * Conversion Instructions: cvt". What a GPU does beyond it says so.
 */
#include "answer.h"

#include <math.h>
#include <string.h>

/* Scratch: sources, and what is made of them, at a precision of its own. */
static mpfr_t result, x[MAX_SOURCES];

static void scratch_init(void)
{
	static bool ready;

	if (ready)
		return;
	mpfr_init(result);
	for (int i = 0; i < MAX_SOURCES; i++)
		mpfr_init2(x[i], WIDE_PRECISION);
	ready = true;
}

/* ---- What every result goes through ------------------------------------------ */

static uint64_t saturate(const struct insn *insn, uint64_t bits)
{
	const struct format *format = insn->to.format;
	uint64_t sign = format_sign(format), one = format_one(format);
	bool nan = format_is_nan(format, bits);

	if (insn->satfinite && !nan && (bits & ~sign) > format->largest)
		bits = (bits & sign) | format->largest;
	if (insn->relu && !nan && bits & sign)
		bits = 0;
	if (insn->sat && (nan || bits & sign))
		bits = 0;
	return insn->sat && bits > one ? one : bits;
}

/* Rounds what MPFR left in @result and notes it. */
static void finish(const struct insn *insn, int ternary, struct answer *answer)
{
	const struct format *format = insn->to.format;
	bool negative, up;

	answer->bits = format_bits(format, result, &ternary, insn->rnd);
	negative = answer->bits & format_sign(format);
	up = negative ? ternary < 0 : ternary > 0;
	answer->any_nan =
		format->bits == 64 && format_is_nan(format, answer->bits) && !insn->sat;
	answer->other = answer->bits;
	if (insn->ftz && format->bits != 64) {
		uint64_t sign = format_sign(format),
			 least = 1ull << (format->precision - 1);

		/* What only rounding makes normal, GPUs flush; the ISA does not say. */
		if ((answer->bits & ~sign) == least && up)
			answer->other = answer->bits & sign;
		answer->bits = format_flush(format, answer->bits);
		answer->other = format_flush(format, answer->other);
	}
	answer->bits = saturate(insn, answer->bits);
	answer->other = saturate(insn, answer->other);
}

/* ---- Functions that are rounded ----------------------------------------------- */

static int compute(const struct insn *insn)
{
	switch (insn->base) {
	case ADD:
		return mpfr_add(result, x[0], x[1], insn->rnd);
	case SUB:
		return mpfr_sub(result, x[0], x[1], insn->rnd);
	case MUL:
		return mpfr_mul(result, x[0], x[1], insn->rnd);
	case FMA:
	case MAD:
		return mpfr_fma(result, x[0], x[1], x[2], insn->rnd);
	case DIV:
		return mpfr_div(result, x[0], x[1], insn->rnd);
	case SQRT:
		return mpfr_sqrt(result, x[0], insn->rnd);
	case RCP:
		return mpfr_ui_div(result, 1, x[0], insn->rnd);
	case RSQRT:
		/* MPFR says that of -0 it is +inf. */
		return mpfr_zero_p(x[0]) ? mpfr_ui_div(result, 1, x[0], insn->rnd)
					 : mpfr_rec_sqrt(result, x[0], insn->rnd);
	case EX2:
		return mpfr_exp2(result, x[0], insn->rnd);
	case LG2:
		return mpfr_log2(result, x[0], insn->rnd);
	case SIN:
		return mpfr_sin(result, x[0], insn->rnd);
	case COS:
		return mpfr_cos(result, x[0], insn->rnd);
	case TANH:
		return mpfr_tanh(result, x[0], insn->rnd);
	case MIN:
	case MAX:
	case ABS:
	case NEG:
	case COPYSIGN:
	case CVT:
	case BASES:
		break;
	}
	return 0;
}

/* ---- Approximate functions ------------------------------------------------------ */

/* One unit in the last place of @value. */
static double ulp(const struct format *format, double value)
{
	int exponent = value ? ilogb(value) : -2000;
	int least = 2 - (1 << (format->bits - format->precision - 1));

	return ldexp(1,
		     (exponent < least ? least : exponent) - (int)format->precision + 1);
}

/* The largest error that the ISA allows at input @in; negative: none is told. */
static double allowed(const struct insn *insn, double in, double value)
{
	const struct format *format = insn->to.format;
	bool small = format->bits == 16, brain = format->precision == 8;

	switch (insn->base) {
	case EX2:
		return small ? fabs(value) * (brain ? 0x1p-7 : exp2(-9.9))
			     : 2 * ulp(format, value);
	case TANH:
		return brain ? 0x1p-8 : small ? exp2(-10.987) : fabs(value) * 0x1p-11;
	case LG2:
		return in > 0.5 && in < 2 ? 0x1p-22 : fabs(value) * 0x1p-22;
	case SIN:
	case COS:
		return fabs(in) <= 2 * M_PI	? exp2(-20.5)
		       : fabs(in) <= 100 * M_PI ? exp2(-14.7)
						: -1;
	case RCP:
		return format->bits == 64 ? fabs(value) * 0x1p-20 : ulp(format, value);
	case RSQRT:
		return fabs(value) * (format->bits == 64 ? 0x1p-20 : exp2(-22.9));
	case SQRT:
		return fabs(value) * 0x1p-23 + ulp(format, 0);
	default:
		return 2 * ulp(format, value);
	}
}

/*
 * What rounding to 16 bits adds: half a unit. Of a subnormal, of which the ISA's
 * relative bound says next to nothing, GPUs cut off the rest: up to a whole one.
 */
static double rounding(const struct format *format, double value)
{
	int least = 2 - (1 << (format->bits - format->precision - 1));

	if (format->bits != 16)
		return 0;
	return fabs(value) < ldexp(1, least) ? ulp(format, value) : ulp(format, value) / 2;
}

/* The ISA's bound is one before the result is rounded. */
static void approximate(const struct insn *insn, struct answer *answer)
{
	const struct format *format = insn->to.format;
	double first = mpfr_get_d(x[0], MPFR_RNDN), bound;

	mpfr_set_prec(result, WIDE_PRECISION);
	compute(insn);
	answer->value = mpfr_get_d(result, MPFR_RNDN);
	bound = allowed(insn, first, answer->value);
	answer->range = bound < 0 && mpfr_number_p(x[0]);
	answer->approximate = mpfr_regular_p(result) != 0;
	answer->bound = bound + rounding(format, answer->value);
	/* A divisor beyond 2^126 may make 0 of everything finite. */
	if (insn->base == DIV && insn->precision == APPROX && mpfr_number_p(x[1]) &&
	    fabs(mpfr_get_d(x[1], MPFR_RNDN)) > 0x1p126) {
		answer->other = signbit(answer->value) ? format_sign(format) : 0;
		answer->any_nan = mpfr_inf_p(x[0]);
	}
}

/* ---- Functions on bits ------------------------------------------------------------ */

static uint64_t order(const struct format *format, uint64_t bits)
{
	uint64_t sign = format_sign(format);

	return bits & sign ? sign - 1 - (bits & ~sign) : bits | sign;
}

static void pick(const struct insn *insn, uint64_t a, uint64_t b, struct answer *answer)
{
	const struct format *format = insn->to.format;
	uint64_t sign = format_sign(format), flip = insn->xorsign ? (a ^ b) & sign : 0;
	bool nan_a = format_is_nan(format, a), nan_b = format_is_nan(format, b);

	if (insn->xorsign) {
		a &= ~sign;
		b &= ~sign;
	}
	if ((nan_a && nan_b) || (insn->nan && (nan_a || nan_b))) {
		answer->bits = format->nan;
		answer->any_nan = format->bits == 64 || insn->xorsign;
	} else if (nan_a || nan_b) {
		answer->bits = (nan_a ? b : a) | flip;
	} else {
		bool less = order(format, a) < order(format, b);

		answer->bits = (less == (insn->base == MIN) ? a : b) | flip;
	}
	answer->other = answer->bits;
}

/* ---- Conversions ------------------------------------------------------------------- */

static int64_t sign_extend(uint64_t bits, unsigned width)
{
	return (int64_t)(bits << (64 - width)) >> (64 - width);
}

static uint64_t mask(unsigned width)
{
	return width == 64 ? ~0ull : (1ull << width) - 1;
}

/* To an integer: clamped. A NaN is 0; from f64 and to 64 bits, the top bit alone. */
static void to_integer(const struct insn *insn, struct answer *answer)
{
	unsigned bits = insn->to.bits;
	uint64_t most = mask(bits) >> insn->to.is_signed;
	uint64_t least = insn->to.is_signed ? ~most : 0;

	mpfr_set_prec(result, WIDE_PRECISION);
	mpfr_rint(result, x[0], insn->rnd);
	if (mpfr_nan_p(result))
		answer->bits =
			bits == 64 || insn->from.bits == 64 ? 1ull << (bits - 1) : 0;
	else if (mpfr_sgn(result) < 0)
		answer->bits = mpfr_cmp_si(result, (int64_t)least) < 0
				       ? least
				       : (uint64_t)mpfr_get_sj(result, MPFR_RNDZ);
	else
		answer->bits = mpfr_cmp_ui(result, most) > 0
				       ? most
				       : mpfr_get_uj(result, MPFR_RNDZ);
	/* A wider register has the value extended, whatever its sign. */
	answer->bits &= mask(bits);
	if (insn->to.is_signed)
		answer->bits = (uint64_t)sign_extend(answer->bits, bits);
	answer->bits &= mask(register_bits(insn->registers[0]));
	answer->other = answer->bits;
}

/* What is tf32's own: ties away from zero, and 13 bits that are not there. */
static void to_tf32(const struct insn *insn, uint64_t bits, struct answer *answer)
{
	uint64_t magnitude = bits & 0x7fffffff, sign = bits & 0x80000000;
	int ternary;

	if (insn->away && magnitude <= 0x7f800000) {
		magnitude = magnitude == 0x7f800000 ? magnitude
						    : (magnitude + 0x1000) & ~0x1fffull;
		if (insn->satfinite && magnitude == 0x7f800000)
			magnitude -= 0x2000;
		answer->bits = sign | magnitude;
	} else {
		mpfr_set_prec(result, insn->to.format->precision);
		ternary = mpfr_set(result, x[0], insn->rnd);
		finish(insn, ternary, answer);
		answer->bits <<= 13;
		answer->any_nan = mpfr_nan_p(x[0]);
	}
	answer->other = answer->bits;
}

static void convert(const struct insn *insn, uint64_t bits, struct answer *answer)
{
	struct insn how = *insn;
	bool moves = insn->from.bits == 32 && insn->from.format == insn->to.format &&
		     !insn->integral && !insn->sat && !insn->ftz;
	int ternary;

	/* An f16 is the same with .ftz; whether a bf16 is, the ISA does not say. */
	if (insn->to.format && insn->to.format->bits == 16)
		how.ftz = false;
	if (insn->from.format) {
		if (how.ftz && insn->from.bits == 32)
			bits = format_flush(insn->from.format, bits);
		format_value(insn->from.format, bits, x[0]);
	} else if (insn->from.is_signed) {
		mpfr_set_sj(x[0], sign_extend(bits, insn->from.bits), MPFR_RNDN);
	} else {
		mpfr_set_uj(x[0], bits & mask(insn->from.bits), MPFR_RNDN);
	}
	if (!insn->to.format) {
		to_integer(&how, answer);
		return;
	}
	if (insn->to.format->bits == 19) {
		to_tf32(&how, bits, answer);
		return;
	}
	mpfr_set_prec(result, insn->to.format->precision);
	ternary = insn->integral ? mpfr_rint(result, x[0], insn->rnd)
				 : mpfr_set(result, x[0], insn->rnd);
	finish(&how, insn->integral ? 0 : ternary, answer);
	if (insn->ftz && insn->to.format->precision == 8 &&
	    format_is_subnormal(insn->from.format, bits))
		answer->other =
			saturate(insn,
				 mpfr_signbit(x[0]) ? format_sign(insn->to.format) : 0);
	/* Between bf16 and f32 a NaN may keep its bits. */
	if (insn->from.format && insn->from.format->precision == 8 && mpfr_nan_p(x[0]))
		answer->any_nan = !insn->sat;
	/* From f32 to itself, with nothing said of it, one does, but may turn quiet. */
	if (moves && mpfr_nan_p(x[0])) {
		answer->bits = bits;
		answer->other = bits | 0x400000;
	}
}

/* ---- All of them ---------------------------------------------------------------------
 */

static void arithmetic(const struct insn *insn, const uint64_t in[],
		       struct answer *answer)
{
	for (unsigned i = 0; i < insn->sources; i++)
		format_value(insn->from.format, in[i], x[i]);
	mpfr_set_prec(result, insn->to.format->precision);
	finish(insn, compute(insn), answer);
	if (insn->precision != ROUNDED || insn->base >= RSQRT)
		approximate(insn, answer);
}

void answer_of(const struct insn *insn, const uint64_t in[MAX_SOURCES],
	       struct answer *answer)
{
	uint64_t operand[MAX_SOURCES], sign;

	scratch_init();
	*answer = (struct answer){ 0 };
	if (insn->base == CVT) {
		convert(insn, in[0], answer);
		return;
	}
	sign = format_sign(insn->from.format);
	for (unsigned i = 0; i < insn->sources; i++) {
		bool flush = insn->ftz && insn->from.bits != 64;

		operand[i] = flush ? format_flush(insn->from.format, in[i]) : in[i];
		/* These read and write the upper word of a register. */
		if (insn->from.bits == 64 && insn->precision == APPROX && insn->ftz)
			operand[i] =
				format_flush(insn->from.format, in[i] & ~0xffffffffull);
	}
	switch (insn->base) {
	case MIN:
	case MAX:
		pick(insn, operand[0], operand[1], answer);
		return;
	case ABS:
		answer->bits = operand[0] & ~sign;
		break;
	case NEG:
		answer->bits = operand[0] ^ sign;
		break;
	case COPYSIGN:
		answer->bits = (operand[0] & sign) | (operand[1] & ~sign);
		break;
	default:
		arithmetic(insn, operand, answer);
		return;
	}
	answer->any_nan = format_is_nan(insn->to.format, answer->bits);
	answer->other = answer->bits;
}

bool answer_allows(const struct insn *insn, const struct answer *answer, uint64_t got)
{
	const struct format *format = insn->to.format;
	double value, least;

	if (format && format->bits == 19 && !(got & 0x1fff))
		return answer->any_nan ? format_is_nan(format, got >> 13)
				       : got == answer->bits;
	if (answer->any_nan && format_is_nan(format, got))
		return true;
	if (got == answer->bits || got == answer->other)
		return true;
	if (!format || format_is_nan(format, got) ||
	    !(answer->approximate || answer->range))
		return false;
	format_value(format, got, x[0]);
	value = mpfr_get_d(x[0], MPFR_RNDN);
	if (answer->range)
		return fabs(value) <= 1;
	/* Just above the smallest normal number .ftz may flush, too. */
	least = format->bits == 64 ? 0x1p-1022 : 0x1p-126;
	if (insn->ftz && fabs(answer->value) < least * 0x1.00001p0 && !value)
		return signbit(value) == signbit(answer->value);
	if (isinf(value))
		return fabs(answer->value) + answer->bound >= 0x1p128;
	return fabs(value - answer->value) <= answer->bound;
}
