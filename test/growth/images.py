# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files with n of one construct of a format each: cubins with line tables, fatbins, archives,
offload binaries, text in data, names to demangle. Like programs.py."""
import struct

HEAD = b".version 8.0\n.target sm_75\n.address_size 64\n"
LINE_INFO = "test/data/images/lineinfo.75.cubin"
KERNEL = b".visible .entry k(){ret;}\n"
FILES = []


def construct(base, modes="list launch"):
    def note(make):
        FILES.append((make.__doc__, make, base, modes.split()))
        return make
    return note


def entry(i):
    return b".visible .entry e%d(){ret;}\n" % i


# ---- Line tables --------------------------------------------------------------------------------

def leb(value, most=127):
    out = b""
    while value > most:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def signed(value):
    """A signed number that is not negative."""
    return leb(value, 63)


def table(version, files, program, base=-5, span=14):
    """A line table with the end of its head, which has the files, and its opcodes."""
    head = b"\1" + (b"\1" if version >= 4 else b"") + struct.pack("<BbBB", 1, base, span, 10)
    head += b"\0\1\1\1\1\0\0\0\1" + files
    rest = struct.pack("<H", version) + (b"\x08\0" if version == 5 else b"")
    rest += struct.pack("<I", len(head)) + head + program
    return struct.pack("<I", len(rest)) + rest


def old_files(names, directory=b""):
    return (directory + b"\0" if directory else b"") + b"\0" + b"".join(
        name + b"\0" + (b"\1" if directory else b"\0") + b"\0\0" for name in names) + b"\0"


def new_files(names):
    return b"\1\1\x08\1/d\0" + b"\2\1\x08\2\x0b" + leb(len(names)) + b"".join(
        name + b"\0\0" for name in names)


class Cubin:
    """The cubin LINE_INFO with other bytes in some of its sections."""

    def __init__(self):
        with open(LINE_INFO, "rb") as file:
            self.bytes = bytearray(file.read())
        self.start, = struct.unpack_from("<Q", self.bytes, 40)
        self.count, self.names = struct.unpack_from("<HH", self.bytes, 60)

    def header(self, name):
        strings, = struct.unpack_from("<Q", self.bytes, self.start + 64 * self.names + 24)
        for at in range(self.start, self.start + 64 * self.count, 64):
            first = strings + struct.unpack_from("<I", self.bytes, at)[0]
            if self.bytes[first:self.bytes.index(0, first)] == name:
                return at
        raise KeyError(name)

    def section(self, name):
        at, size = struct.unpack_from("<QQ", self.bytes, self.header(name) + 24)
        return bytes(self.bytes[at:at + size])

    def replace(self, name, data):
        self.bytes += bytes(-len(self.bytes) % 8)
        struct.pack_into("<QQ", self.bytes, self.header(name) + 24, len(self.bytes), len(data))
        self.bytes += data

    def lines(self, name, made):
        """A table whose first address is that of the kernel `second', the only one that is known."""
        self.replace(b"." + name, made)
        at, size = struct.unpack_from("<QQ", self.bytes, self.header(b".rel." + name) + 24)
        place = made.index(b"\0\x09\x02") + 3 if b"\0\x09\x02" in made else 0
        for i in range(0, size, 16):
            struct.pack_into("<Q", self.bytes, at + i, place if i == size - 16 else (1 << 64) - 1)


ADDRESS = b"\0\x09\x02" + bytes(8)


def source_lines(made):
    cubin = Cubin()
    cubin.lines(b"debug_line", made)
    return bytes(cubin.bytes)


def rows(version):
    def make(n):
        files = new_files([b"a.cu"]) if version == 5 else old_files([b"a.cu"])
        return source_lines(table(version, files, ADDRESS + b"\x20" * n))
    make.__doc__ = "rows of a line table of version %d" % version
    construct(30000, "second")(make)


for each in 2, 3, 4, 5:
    rows(each)


@construct(20000, "second")
def files_of_a_table(n):
    """files of a line table of version 2"""
    return source_lines(table(2, old_files([b"f"] * n, b"/d" * 100), ADDRESS + b"\x20"))


@construct(20000, "second")
def entries_of_a_table(n):
    """files of a line table of version 5"""
    return source_lines(table(5, new_files([b"f"] * n), ADDRESS + b"\x20"))


@construct(40000, "second")
def columns(n):
    """entries of a line table of version 5, as many bytes in a column"""
    files = b"\1\x83" + b"\x80" * n + b"\0\x0b" + leb(n) + bytes(n) + b"\1\1\x08\1a\0"
    return source_lines(table(5, files, ADDRESS + b"\x20"))


@construct(2500, "second")
def units(n):
    """line tables in one section"""
    return source_lines(table(2, old_files([b"a.cu"]), ADDRESS + b"\x20") * n)


@construct(2000, "second")
def lines_of_text(n, empty=2):
    """instructions with a .loc from line tables"""
    cubin = Cubin()
    text = cubin.section(b".nv_debug_ptx_txt")
    cut = text.rindex(b"}")
    before = text[:cut].count(b"\0")
    cubin.replace(b".nv_debug_ptx_txt", text[:cut] + (bytes(empty) + b"ret;\0") * n + text[cut:])
    step = ADDRESS + b"\3" + signed(before + empty) + b"\1" + b"\x0b" * (n - 1)
    cubin.lines(b"nv_debug_line_sass", table(2, b"\0\0", step, empty + 1, 1))
    callers = b"".join(b"\0" + leb(2 + len(leb(i))) + b"\x90" + leb(i) + b"\0\3\1\1"
                       for i in range(1, empty))
    source = ADDRESS + b"\1" + callers + b"\x0b" * (n - 1)
    cubin.lines(b"debug_line", table(2, old_files([b"a.cu"]), source, 1, 1))
    return bytes(cubin.bytes)


@construct(1000, "second")
def inlined_lines(n):
    """instructions that were inlined 16 times, from line tables"""
    return lines_of_text(n, 17)


# ---- Containers ---------------------------------------------------------------------------------

def image(payload):
    """An entry of a fatbin: PTX that is not compressed."""
    padded = payload + bytes(-len(payload) % 8)
    return struct.pack("<HHIQIIHHIIIQQQ", 1, 0x101, 64, len(padded), 0, 0, 0, 8, 75, 0, 0, 1, 0,
                       0) + padded


def fatbin(entries):
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(entries)) + entries


@construct(2500)
def images_of_a_fatbin(n):
    """images of a fatbin"""
    return fatbin(image(HEAD + KERNEL) + b"".join(image(HEAD + entry(i)) for i in range(n)))


@construct(2500)
def fatbins(n):
    """fatbins in one file"""
    return fatbin(image(HEAD + KERNEL)) + b"".join(fatbin(image(HEAD + entry(i))) for i in range(n))


def member(name, data):
    padded = data + b"\n" * (len(data) & 1)
    return (b"%-16s%-12d%-6d%-6d%-8o%-10d`\n" % (name, 0, 0, 0, 0o644, len(data))) + padded


@construct(2500)
def members(n):
    """members of an archive"""
    return b"!<arch>\n" + member(b"k.ptx/", HEAD + KERNEL) + b"".join(
        member(b"m%d/" % i, HEAD + entry(i)) for i in range(n))


@construct(250000)
def symbols_of_an_archive(n):
    """symbols of an archive"""
    table_of = struct.pack(">I", n) + struct.pack(">I", 8) * n + b"".join(b"s%d\0" % i for i in range(n))
    return b"!<arch>\n" + member(b"/", table_of) + member(b"k.ptx/", HEAD + KERNEL)


@construct(20000)
def names_of_members(n):
    """long names of members of an archive"""
    names = b"".join(b"a name that is longer than sixteen %d/\n" % i for i in range(n))
    offsets, at = [], 0
    for name in names.split(b"\n")[:-1]:
        offsets.append(at)
        at += len(name) + 1
    return (b"!<arch>\n" + member(b"//", names) + member(b"k.ptx/", HEAD + KERNEL) +
            b"".join(member(b"/%d" % at, b"") for at in offsets))


def offload(images):
    """An offload binary of version 2."""
    at = 32 + 40 * len(images)
    records, data = [], []
    for one in images:
        padded = one + bytes(-len(one) % 8)
        records.append(struct.pack("<HHIQQQQ", 4, 2, 0, at, 0, at, len(one)))
        data.append(padded)
        at += len(padded)
    return struct.pack("<IIQQQ", 0xAD10FF10, 2, at, 32, len(images)) + b"".join(records + data)


@construct(1000)
def images_of_an_offload_binary(n):
    """images of an offload binary"""
    return offload([HEAD + KERNEL] + [HEAD + entry(i) for i in range(n)])


@construct(30000)
def strings_of_an_offload_binary(n):
    """strings of an offload binary"""
    keys = [b"k%d\0v\0" % i for i in range(n)]
    at = 72 + 16 * n
    pairs = []
    for key in keys:
        pairs.append(struct.pack("<QQ", at, at + len(key) - 2))
        at += len(key)
    text = HEAD + KERNEL
    head = struct.pack("<IIQQQ", 0xAD10FF10, 1, at + len(text), 32, 40)
    return b"".join([head, struct.pack("<HHIQQQQ", 4, 2, 0, 72, n, at, len(text)), *pairs, *keys, text])


@construct(1000)
def offload_binaries(n):
    """offload binaries in one file"""
    return offload([HEAD + KERNEL]) + b"".join(offload([HEAD + entry(i)]) for i in range(n))


# ---- Text in data -------------------------------------------------------------------------------

@construct(3000)
def texts(n):
    """texts in data"""
    return b"\1data\0" + HEAD + KERNEL + b"\0" + b"".join(b"\0\1" + HEAD + entry(i) + b"\0" for i in range(n))


@construct(60000)
def false_texts(n):
    """false .version in data"""
    return b"\1data\0" + HEAD + KERNEL + b"\0" + b".version 7.0\nnonsense\0" * n


@construct(5000)
def torn_texts(n):
    """texts in data that end within a kernel"""
    return b"\1data\0" + HEAD + KERNEL + b"\0" + (HEAD + b".visible .entry t() { ret; \0") * n


@construct(10000)
def unended_comments(n):
    """texts in data that end within a comment"""
    return b"\1data\0" + HEAD + KERNEL + b"\0" + (HEAD + b"/*") * n


# ---- Names --------------------------------------------------------------------------------------

def named(names):
    return HEAD + KERNEL + b"".join(b".visible .entry " + name + b"(){ret;}\n" for name in names)


@construct(1500, "names")
def itanium(n):
    """names of C++, with substitutions"""
    return named(b"_Z%df%06dSt4pairIiiES_IS0_S0_ES_IS1_S1_ES_IS2_S2_E" % (7, i) for i in range(n))


@construct(1500, "names")
def rust(n):
    """names of Rust, of both manglings"""
    return named([b"_RNvNtCs2OpA4fNwd7R_1r4deep6k%05d" % i for i in range(n)] +
                 [b"_ZN4core3fmt6k%05d17h0123456789abcdefE" % i for i in range(n)])


@construct(1500, "names")
def d_names(n):
    """names of D"""
    return named(b"_D3std5stdio6k%05dFiZv" % i for i in range(n))


@construct(500, "names")
def nested_names(n):
    """nested templates in one name of C++"""
    return named([b"_Z1f" + b"1AI" * n + b"i" + b"E" * n])


@construct(5000, "names")
def long_rust(n):
    """nested paths in one name of Rust"""
    return named([b"_R" + b"Nv" * n + b"C1c" + b"1a" * n, b"_RINvC1c1f" + b"T" * n + b"u" + b"E" * n + b"E"])
