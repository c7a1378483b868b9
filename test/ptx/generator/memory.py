# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ld and st in every space, atom and red."""

from fractions import Fraction

from . import fp
from .emit import File, bits_of, number
from .floating import ident
from .fp import FORMATS
from .integer import val
from .values import random_float, rng, rows

SPACES = ("global", "shared", "local", "const", "generic", "generic_shared",
          "generic_local", "generic_const")
LOADS = ("u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64", "b8", "b16", "b32", "b64",
         "f32", "f64")
FEW = ("u8", "s16", "b32", "u64", "f64")  # where a space is another's in disguise
N = 64
K = 0x9e3779b97f4a7c15
M64 = (1 << 64) - 1


def data(name, nbytes):
    r = rng(name)
    return bytes(r.getrandbits(8) for _ in range(nbytes))


def declare(space, name, blob):
    words = [int.from_bytes(blob[i:i + 8], "little") for i in range(0, len(blob), 8)]
    lines, line = [], ""
    for w in words:
        line += "0x%x, " % w
        if len(line) > 70:
            lines.append("\t" + line.rstrip())
            line = ""
    lines.append("\t" + line.rstrip())
    body = "\n".join(l for l in lines if l.strip()).rstrip(",")
    return "\n.%s .align 16 .u64 %s[%d] = {\n%s\n};\n" % (space, name, len(words), body)


def home(space):
    """The space in which a variable of this kind lives."""
    return space.replace("generic_", "").replace("generic", "global")


def base(space, size, room):
    """Lines that leave the address of a copy of `table` in %base."""
    text = "mov.u64 %base, table;\n"
    if home(space) == "const":
        text = "mov.u64 %base, ctable;\n"
    if home(space) in ("shared", "local"):
        step = "%ntid.x" if home(space) == "shared" else "1"
        start = "%i" if home(space) == "shared" else "0"
        text = """
            mov.u32 %j, START;
            mov.u32 %step, STEP;
            $copy:
            mad.wide.u32 %ad, %j, 8, table;
            ld.global.b64 %w, [%ad];
            mov.u64 %base, room;
            mad.wide.u32 %ad, %j, 8, %base;
            st.SPACE.b64 [%ad], %w;
            add.u32 %j, %j, %step;
            setp.lt.u32 %q, %j, COUNT;
            @%q bra $copy;
            bar.sync 0;
        """.replace("SPACE", home(space)).replace("COUNT", str(room // 8)) \
           .replace("STEP", step).replace("START", start) \
           .replace("mad.wide.u32 %ad, %j, 8, table;",
                    "mov.u64 %ad, table;\nmad.wide.u32 %ad, %j, 8, %ad;")
        text = text.replace("mov.u64 %base, room;\n", "mov.u64 %base, room;\n")
    if space.startswith("generic"):
        text += "cvta.%s.u64 %%base, %%base;\n" % home(space)
    return text


EXTRA = ".reg .b64 %base, %ad, %w; .reg .b32 %j, %step; .reg .pred %q;"


def extra_for(space, room):
    text = EXTRA
    if home(space) in ("shared", "local"):
        text = ".%s .align 16 .b8 room[%d]; " % (home(space), room) + text
    return text


def ld():
    """One element per lane: 32 side by side, then scattered with repeats."""
    f = File("ld", "ld: every type and space, sign and zero extension into wider registers,\n"
             "cache and ordering hints.")
    room = N * 8
    blob = data("ld", room)
    f.raw(declare("global", "table", blob) + declare("const", "ctable", blob))
    r = rng("ld places")
    places = [(i,) for i in range(40)] + [(r.randrange(N),) for _ in range(24)]

    def element(t, i):
        n = bits_of(t) // 8
        return val(t, int.from_bytes(blob[i * n:i * n + n], "little"))

    def one(name, space, quals, t, out):
        where = "" if space.startswith("generic") else "." + space
        q = quals.split("@")
        op = "mad.wide.u32 %%ad, {a}, %d, %%base;\nld%s%s%s.%s {d}, [%%ad];" % (
            bits_of(t) // 8, q[0], where, q[1] if len(q) > 1 else "", t)
        f.lanes(name, ["u32"], out, op, places, lambda i: element(t, i),
                extra=extra_for(space, room), prelude=base(space, 8, room))
    for space in SPACES:
        for t in FEW if space.startswith("generic_") else LOADS:
            out = t if bits_of(t) > 8 else "b16"
            one(ident("ld", space, t), space, "", t, out)
            if t[0] != "f" and space in ("global", "shared", "const"):
                for wide in ("b32", "b64"):
                    if bits_of(wide) > bits_of(t):
                        one(ident("ld", space, t, "in", wide), space, "", t, wide)
    for quals in ("@.ca", "@.cg", "@.cs", "@.lu", "@.cv", "@.nc", "@.ca.nc",
                  "@.L1::no_allocate", "@.L1::evict_last", "@.L2::128B", "@.nc.L2::256B",
                  ".volatile@", ".weak@", ".relaxed.cta@", ".relaxed.gpu@", ".relaxed.sys@",
                  ".acquire.cta@", ".acquire.gpu@", ".acquire.sys@"):
        for t in ("u8", "b32", "f64"):
            name = ident("ld", quals.replace("@", "").replace("::", "_"), t)
            one(name, "global", quals, t, t if t != "u8" else "b32")
    for space in ("shared", "generic"):
        for quals in (".volatile@", ".relaxed.cta@", ".acquire.gpu@"):
            one(ident("ld", quals.replace("@", ""), space, "u16"), space, quals, "u16", "b32")
    return f


def mixed(parts):
    out = 0
    for x in parts:
        out = (out * K + x) & M64
    return out


def ld_vector():
    f = File("ld_vector", "ld.v2, ld.v4: the parts are folded into one number by a product.")
    room = N * 32
    blob = data("ldv", room)
    f.raw(declare("global", "table", blob) + declare("const", "ctable", blob))
    r = rng("ldv places")
    places = [(i,) for i in range(40)] + [(r.randrange(N),) for _ in range(24)]
    for space in SPACES:
        for t in FEW if space.startswith("generic_") else LOADS:
            for n in (2, 4):
                if bits_of(t) * n > 128:
                    continue
                size = bits_of(t) // 8

                def parts(i):
                    return [val(t, int.from_bytes(blob[(i * n + j) * size:
                                                       (i * n + j + 1) * size], "little"))
                            for j in range(n)]
                regs = ["%%v%d" % j for j in range(n)]
                wide = t[0] != "f" and space not in ("const", "generic_const")
                kind = "b64" if wide else t if bits_of(t) > 8 else "b16"
                op = "mad.wide.u32 %%ad, {a}, %d, %%base;\n" % (size * n)
                op += "ld%s.v%d.%s {{%s}}, [%%ad];\n" % (
                    "" if space.startswith("generic") else "." + space, n, t,
                    ", ".join(regs))
                op += "mov.b64 %w, 0;\n"
                for v in regs:
                    if kind == "b64":
                        op += "mad.lo.u64 %%w, %%w, 0x%x, %s;\n" % (K, v)
                    else:
                        step = "cvt.u64.u%d %%u, %s;\n" % (bits_of(kind), v)
                        if kind in ("f32", "f64", "b32", "b64"):
                            step = ("mov.b%d %%h, %s;\n" % (bits_of(kind), v)
                                    + ("cvt.u64.u32 %u, %h;\n" if bits_of(kind) == 32
                                       else "mov.b64 %u, %h;\n"))
                        op += step + "mad.lo.u64 %%w, %%w, 0x%x, %%u;\n" % K
                op += "mov.b64 {d}, %w;"
                mask = M64 if kind == "b64" else (1 << max(bits_of(t), 16)) - 1
                if kind == "b16" and bits_of(t) == 8:
                    mask = 0xffff
                f.lanes(ident("ld", space, "v%d" % n, t), ["u32"], "b64", op, places,
                        lambda i: mixed(x & mask for x in parts(i)),
                        extra=extra_for(space, room) + " .reg .%s %%v<%d>; .reg .b64 %%u;"
                        " .reg .b%d %%h;" % (kind, n, 32 if bits_of(kind) <= 32 else 64),
                        prelude=base(space, 8, room))
    for quals in (".ca", ".cg", ".nc", ".volatile", ".relaxed.gpu"):
        order = quals in (".volatile", ".relaxed.gpu")
        head = "ld%s.global" % quals if order else "ld.global" + quals
        f.lanes(ident("ld", quals, "v4_u32"), ["u32"], "b64", """
            mad.wide.u32 %%ad, {a}, 16, %%base;
            %s.v4.u32 {{%%v0, %%v1, %%v2, %%v3}}, [%%ad];
            mov.b64 %%w, {{%%v3, %%v1}};
            mov.b64 %%u, {{%%v2, %%v0}};
            xor.b64 {d}, %%w, %%u;""" % head, places,
                lambda i: int.from_bytes(blob[i * 16 + 12:i * 16 + 16] +
                                         blob[i * 16 + 4:i * 16 + 8], "little") ^
                int.from_bytes(blob[i * 16 + 8:i * 16 + 12] + blob[i * 16:i * 16 + 4],
                               "little"),
                extra=EXTRA + " .reg .b32 %v<4>; .reg .b64 %u;",
                prelude=base("global", 8, room))
    # A sink for a part that is not wanted.
    f.lanes("ld_v2_sink", ["u32"], "b32", """
        mad.wide.u32 %ad, {a}, 8, %base;
        ld.global.v2.u32 {{_, {d}}}, [%ad];""", places,
            lambda i: int.from_bytes(blob[i * 8 + 4:i * 8 + 8], "little"), extra=EXTRA,
            prelude=base("global", 8, room))
    return f


def slot(space):
    """Lines that leave the address of 16 zeroed bytes of the lane's own in %base."""
    text = "mov.u64 %%base, %s;\n" % ("gslots" if home(space) == "global" else "room")
    if home(space) != "local":
        text += "mad.wide.u32 %base, %i, 16, %base;\n"
    text += "st.%s.v2.b64 [%%base], {0, 0};\n" % home(space)
    if space.startswith("generic"):
        text += "cvta.%s.u64 %%base, %%base;\n" % home(space)
    return text


STORE_SPACES = ("global", "shared", "local", "generic", "generic_shared", "generic_local")


def st():
    f = File("st", "st: every type and space, from wider registers too, vectors and hints.")
    f.raw("\n.global .align 16 .b8 gslots[%d];\n" % (16 * 128))
    for space in STORE_SPACES:
        where = "" if space.startswith("generic") else "." + space
        for t in FEW if space.startswith("generic_") else LOADS:
            n = bits_of(t)
            for wide in [b for b in (16, 32, 64) if b >= n and (t[0] != "f" or b == n)]:
                rs = rows("st" + t, ["b%d" % wide], 40)
                f.lanes(ident("st", space, t, "of_b%d" % wide), ["b%d" % wide], "b64",
                        "st%s.%s [%%base+4], {a};\nld%s.b64 {d}, [%%base];"
                        % (where, t, where) if n < 64 else
                        "st%s.%s [%%base+8], {a};\nld%s.b64 {d}, [%%base+8];"
                        % (where, t, where), rs,
                        lambda a: (a & ((1 << n) - 1)) << (32 if n < 64 else 0),
                        extra=extra_for(space, 16 * (64 if home(space) == "shared" else 1)),
                        prelude=slot(space))
            for count in (2, 4):
                if n * count > 64:
                    continue
                rs = rows("stv" + t, ["b64"], 40)
                kind = t if t[0] == "f" else "b%d" % max(n, 16)
                regs = ["%%v%d" % j for j in range(count)]
                op = ""
                for j, v in enumerate(regs):
                    op += "shr.u64 %%w, {a}, %d;\n" % (j * n)
                    if kind[0] == "f":
                        op += "cvt.u32.u64 %%h, %%w;\nmov.b32 %s, %%h;\n" % v
                    else:
                        op += "cvt.u%s.u64 %s, %%w;\n" % (kind[1:], v)
                op += "st%s.v%d.%s [%%base], {{%s}};\n" % (where, count, t, ", ".join(regs))
                op += "ld%s.b64 {d}, [%%base];" % where
                f.lanes(ident("st", space, "v%d" % count, t), ["b64"], "b64", op, rs,
                        lambda a: a & ((1 << n * count) - 1),
                        extra=extra_for(space, 16 * (64 if home(space) == "shared" else 1))
                        + " .reg .%s %%v<%d>; .reg .b32 %%h;" % (kind, count),
                        prelude=slot(space))
    for quals in ("@.wb", "@.cg", "@.cs", "@.wt", "@.L1::no_allocate", ".volatile@",
                  ".weak@", ".relaxed.cta@", ".relaxed.gpu@", ".relaxed.sys@",
                  ".release.cta@", ".release.gpu@", ".release.sys@"):
        q = quals.split("@")
        for t in ("u8", "b32", "b64"):
            out = "b64" if t == "b64" else "b32"
            f.lanes(ident("st", quals.replace("@", "").replace("::", "_"), t), [out], out,
                    "st%s.global%s.%s [%%base], {a};\nld.global.%s {d}, [%%base];"
                    % (q[0], q[1], t, out), rows("sth", [out], 40),
                    lambda a: a & ((1 << bits_of(t)) - 1), extra=EXTRA,
                    prelude=slot("global"))
    return f


# ---- Places that a warp finds in a few pieces ----------------------------------------

def pieces():
    """Each row of 32: where the lanes of a warp go, among N elements."""
    rows = []
    for n in (16, 8, 4):
        rows.append([i // n for i in range(32)])                       # all of a piece at one
        rows.append([i % n for i in range(32)])                        # a run, again and again
        rows.append([(31 // n - i // n) * (n + 3) + i % n for i in range(32)])  # runs, backwards
        rows.append([N - 1 - i // n * 5 % 40 for i in range(32)])
    rows.append([i if i < 5 else i + 9 for i in range(32)])            # pieces of 5 and 27
    rows.append([0 if i < 9 else 3 for i in range(32)])
    rows.append([i if i < 16 else 40 for i in range(32)])              # a run and one place
    rows.append([7 if i < 16 else i for i in range(32)])
    rows.append([31 - i for i in range(32)])
    rows.append([2 * i for i in range(32)])
    rows.append([i ^ 1 for i in range(32)])
    rows.append([i if i != 17 else 60 for i in range(32)])
    return rows


def ld_pieces():
    f = File("ld_pieces", "ld: the lanes of a warp find their elements in a few pieces of memory, as in\n"
             "blocks of 16x16 and 8x8 threads, or anywhere.")
    # What the first warp of a block has reached, the others know.
    places = [(i,) for row in pieces() for i in row]
    room = 8 * len(places)  # base() has each thread of the block copy 8 bytes
    blob = data("ldp", room)
    f.raw(declare("global", "table", blob))
    for space in ("global", "shared", "generic", "generic_shared"):
        where = "" if space.startswith("generic") else "." + space
        for t in ("u8", "s16", "b32", "b64"):
            n = bits_of(t) // 8

            def element(i):
                return val(t, int.from_bytes(blob[i * n:i * n + n], "little"))
            for narrow in (False, True) if space == "shared" else (False,):
                op = "mad.wide.u32 %%ad, {a}, %d, %%base;\n" % n
                if narrow:  # an address of 32 bits
                    op += "cvt.u32.u64 %j, %ad;\n"
                op += "ld%s.%s {d}, [%s];" % (where, t, "%j" if narrow else "%ad")
                f.lanes(ident("ld_pieces", space, t, "narrow" if narrow else ""), ["u32"],
                        t if n > 1 else "b16", op, places, element,
                        extra=extra_for(space, room), prelude=base(space, 8, room))
    return f


def st_pieces():
    """What a lane has stored it loads again: ld_pieces tells that loads are right."""
    f = File("st_pieces", "st: as ld_pieces, where no two lanes store in one place.")
    maps = [row for row in pieces() if len(set(row)) == 32]
    places = [64 * w + i for w, row in enumerate(maps) for i in row]
    room = 8 * 64 * len(maps)
    f.raw("\n.global .align 16 .b8 gslots[%d];\n" % room)
    for space in ("global", "shared", "generic", "generic_shared"):
        where = "" if space.startswith("generic") else "." + space
        for t in ("u8", "b16", "b32", "b64"):
            wide = "b%d" % max(bits_of(t), 16)
            rs = [(a, b) for a, (b,) in zip(places, rows("stp" + t, [wide], len(places)))]
            start = "mov.u64 %%base, %s;\n" % ("gslots" if home(space) == "global" else "room")
            if space.startswith("generic"):
                start += "cvta.%s.u64 %%base, %%base;\n" % home(space)
            f.lanes(ident("st_pieces", space, t), ["u32", wide], wide,
                    "mad.wide.u32 %%ad, {a}, %d, %%base;\nst%s.%s [%%ad], {b};\n"
                    "ld%s.%s {d}, [%%ad];" % (bits_of(t) // 8, where, t, where, t), rs,
                    lambda a, b: b & ((1 << bits_of(t)) - 1), extra=extra_for(space, room),
                    prelude=start)
    return f


# ---- atom and red --------------------------------------------------------------

def wrap_inc(t, m, b):
    return 0 if m >= b else m + 1


def wrap_dec(t, m, b):
    return b if m == 0 or m > b else m - 1


INT_ATOMS = {
    "add": (("u32", "s32", "u64"), lambda t, m, b: m + b),
    "and": (("b32", "b64"), lambda t, m, b: m & b),
    "or": (("b32", "b64"), lambda t, m, b: m | b),
    "xor": (("b32", "b64"), lambda t, m, b: m ^ b),
    "exch": (("b32", "b64"), lambda t, m, b: b),
    "min": (("u32", "s32", "u64", "s64"), lambda t, m, b: min(val(t, m), val(t, b))),
    "max": (("u32", "s32", "u64", "s64"), lambda t, m, b: max(val(t, m), val(t, b))),
    "inc": (("u32",), wrap_inc),
    "dec": (("u32",), wrap_dec),
}
ATOM_SPACES = ("global", "shared", "generic", "generic_shared")


def atom_lane(f, name, space, word, t, fn, rs, extra_arg=None, red=False, mode=""):
    """Each lane its own word: what was there, and what is there afterwards."""
    bits = "b%d" % max(bits_of(t), 16)
    where = "" if space.startswith("generic") else "." + space
    args = "{b}, {c}" if extra_arg else "{b}"
    ins = [bits] * (3 if extra_arg else 2)
    head = "st%s.%s [%%base], {a};\n" % (where, bits)
    extra = extra_for(space, 16 * 64) + " .reg .%s %%o;" % bits
    if not red:
        f.lanes(name + "_old", ins, bits, head + "atom%s {d}, [%%base], %s;" % (word, args),
                rs, lambda a, *b: a, extra=extra, prelude=slot(space))
    new = "red%s [%%base], %s;\n" if red else "atom%s %%o, [%%base], %s;\n"
    f.lanes(name, ins, t if t[0] == "f" else bits, head + new % (word, args)
            + "ld%s.%s {d}, [%%base];" % (where, bits), rs,
            fn, extra=extra, prelude=slot(space), mode=mode)


def atom():
    files = []
    for red in (False, True):
        verb = "red" if red else "atom"
        f = File(verb, verb + ": every operation, type and space, each lane on its own word;\n"
                 "then many lanes on one word (see atom_shared).")
        f.raw("\n.global .align 16 .b8 gslots[%d];\n" % (16 * 128))
        for space in ATOM_SPACES:
            where = "" if space.startswith("generic") else "." + space
            for op, (types, fn) in INT_ATOMS.items():
                if red and op == "exch":
                    continue
                for t in types:
                    b = "b%d" % bits_of(t)
                    rs = rows("atom" + op + t, [t, t], 40)
                    if op in ("inc", "dec"):
                        rs += [(k, 5) for k in range(8)]
                    atom_lane(f, ident(verb, space, op, t), space,
                              "%s.%s.%s" % (where, op, t), t,
                              lambda a, c: fn(t, a, c), rs, red=red)
            if not red:
                for t in ("b16", "b32", "b64"):
                    rs = [(a, a if i & 1 else b, c) for i, (a, b, c) in
                          enumerate(rows("cas" + t, [t] * 3, 40))]
                    atom_lane(f, ident(verb, space, "cas", t), space,
                              "%s.cas.%s" % (where, t), t,
                              lambda a, b, c: c if a == b else a, rs, True)
            for t, mod in (("f32", ""), ("f64", ""), ("f16", ".noftz")):
                r = rng("atomf" + t)
                rs = [(random_float(r, t), random_float(r, t)) for _ in range(40)]
                fmt = FORMATS[t]
                rs += [(fmt.one, fmt.sign | fmt.one), (fmt.inf, fmt.one),
                       (fmt.one, fmt.inf + 1), (fmt.sign, fmt.sign)]
                atom_lane(f, ident(verb, space, "add", t), space,
                          "%s.add%s.%s" % (where, mod, t), t,
                          lambda a, b: nan_class(fmt, fp.add(fmt, "rn", False, False, a, b)),
                          rs, red=red)
        if not red:
            f.lanes("atom_sink", ["b32", "b32"], "b32",
                    "st.global.b32 [%base], {a};\natom.global.add.u32 _, [%base], {b};\n"
                    "ld.global.b32 {d}, [%base];", rows("sink", ["b32", "b32"], 36),
                    lambda a, b: a + b, extra=EXTRA, prelude=slot("global"))
        for sem in (".relaxed.cta", ".relaxed.gpu", ".relaxed.sys", ".acquire.gpu",
                    ".release.gpu", ".acq_rel.gpu", ".acq_rel.sys", ".acq_rel.cta"):
            if red and sem.startswith((".acq",)):
                continue
            atom_lane(f, ident(verb, sem, "add_u32"), "global", sem + ".global.add.u32",
                      "u32", lambda a, b: a + b, rows("sem", ["u32", "u32"], 36), red=red)
            if not red:
                rs = [(a, a if i & 1 else b, c) for i, (a, b, c) in
                      enumerate(rows("semcas", ["b64"] * 3, 36))]
                atom_lane(f, ident(verb, sem, "cas_b64"), "global", sem + ".global.cas.b64",
                          "b64", lambda a, b, c: c if a == b else a, rs, True)
        files.append(f)
    return files


def nan_class(f, x):
    return "nan" if x == "nan" or f.is_nan(x) else x


CONTEND = """
//@ launch {name} grid={grid} block={block}{fresh}
//@ out {t} set {olds}
//@ inout {t} {start}
//@ expect {t} {end}
.visible .entry {name}(.param .u64 pold, .param .u64 pword)
{{
	.reg .b32 %i, %c, %n;
	.reg .b64 %old, %word, %t;
	.reg .{reg} %x, %one;

	ld.param.u64 %old, [pold];
	ld.param.u64 %word, [pword];
	mov.u32 %i, %tid.x;
	mov.u32 %c, %ctaid.x;
	mov.u32 %n, %ntid.x;
	mad.lo.u32 %i, %c, %n, %i;
	mov.{reg} %one, {one};
	atom.global.{op} %x, [%word], {args};
	mad.wide.u32 %t, %i, {size}, %old;
	st.global.{reg} [%t], %x;
	ret;
}}
"""


def contend():
    """Many lanes on one word: the old values are those of some order."""
    f = File("atom_shared", "atom on one word from many lanes and blocks: the values returned\n"
             "are those of some serial order, and the last is right.")
    grid, block = 5, 100
    n = grid * block

    def case(name, op, t, reg, one, start, olds, end, args="%one"):
        f.raw(CONTEND.format(name=name, grid=grid, block=block, fresh="", t=t, reg=reg,
                             olds=olds, start=start, end=end, one=one, op=op,
                             size=bits_of(t) // 8, args=args))
    case("add_u32", "add.u32", "u32", "b32", 1, 0, "0..%d" % (n - 1), n)
    case("add_u64", "add.u64", "u64", "b64", 3, 7,
         " ".join(str(7 + 3 * i) for i in range(n)), 7 + 3 * n)
    case("inc_u32", "inc.u32", "u32", "b32", 6, 0,
         " ".join(str(i % 7) for i in range(n)), n % 7)
    case("dec_u32", "dec.u32", "u32", "b32", 6, 3,
         " ".join(str((3 - i) % 7) for i in range(n)), (3 - n) % 7)
    case("exch_same", "exch.b32", "u32", "b32", 9, 4, "4 9*%d" % (n - 1), 9)
    half = FORMATS["f32"]
    case("add_f32", "add.f32", "f32", "f32", "0f3F800000", 0, 
         " ".join(number("f32", half.round(Fraction(i))) for i in range(n)), n)
    double = FORMATS["f64"]
    case("add_f64", "add.f64", "f64", "f64", "0d3FE0000000000000", 0,
         " ".join(number("f64", double.round(Fraction(i, 2))) for i in range(n)), n / 2)
    case("or_bits", "or.b32", "u32", "b32", 2, 1, "1 3*%d" % (n - 1), 3)
    return f


def files():
    return [ld(), ld_vector(), st(), ld_pieces(), st_pieces()] + atom() + [contend()]


