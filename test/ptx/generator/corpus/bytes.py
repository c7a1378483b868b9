# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""References of kernels that work on bytes: hashes, ciphers, compression."""

import hashlib
import struct
import zlib

from ..cases import Cases
from ..values import rng

TEXT = (b"how much wood would a woodchuck chuck if a woodchuck could chuck wood? as much "
        b"wood as a woodchuck would, if a woodchuck could chuck wood. ")


def sha256():
    c, r = Cases("sha256"), rng("sha256")
    sizes = [0, 1, 3, 55, 56, 63, 64, 65, 119, 120, 128] + [r.randrange(130)
                                                            for _ in range(9)]
    text = bytes(r.randrange(256) for _ in range(sum(sizes)))
    start = [sum(sizes[:i]) for i in range(len(sizes) + 1)]
    out = [b for i in range(len(sizes))
           for b in hashlib.sha256(text[start[i]:start[i + 1]]).digest()]
    c.launch("sha256", "grid=2 block=16")
    c.give("in", "u8", text)
    c.give("in", "s32", start)
    c.give("arg", "s32", [len(sizes)])
    c.give("out", "u8", out)
    prefix, zeros = 0x67707572, 10
    first = next(n for n in range(4096)
                 if struct.unpack(">I", hashlib.sha256(
                     struct.pack(">II", prefix, n)).digest()[:4])[0] >> (32 - zeros) == 0)
    c.launch("mine", "grid=%d block=64" % (first // 64 + 2))
    c.give("arg", "u32", [prefix])
    c.give("arg", "s32", [zeros])
    c.give("inout", "u32", [0xffffffff])
    c.give("expect", "u32", [first])
    return c


def gf_twice(x):
    return (x << 1 ^ 0x11b if x & 0x80 else x << 1) & 0xff


def aes_box():
    """The S-box from logarithms to the base 3."""
    power, box = [1], [0x63] * 256
    for _ in range(254):
        power.append(power[-1] ^ gf_twice(power[-1]))
    for i, x in enumerate(power):
        v = power[-i % 255]
        s = 0
        for k in range(8):
            bit = v >> k ^ v >> (k + 4) % 8 ^ v >> (k + 5) % 8 ^ v >> (k + 6) % 8 \
                ^ v >> (k + 7) % 8
            s |= (bit & 1) << k
        box[x] = s ^ 0x63
    return box


def aes_block(box, key, block):
    words, rcon = [list(key[i:i + 4]) for i in range(0, 16, 4)], 1
    while len(words) < 44:
        w = list(words[-1])
        if len(words) % 4 == 0:
            w = [box[b] for b in w[1:] + w[:1]]
            w[0] ^= rcon
            rcon = gf_twice(rcon)
        words.append([a ^ b for a, b in zip(w, words[-4])])
    keys = [sum(words[4 * i:4 * i + 4], []) for i in range(11)]
    s = [a ^ b for a, b in zip(block, keys[0])]
    for n in range(1, 11):
        s = [box[s[(i + 4 * (i % 4)) % 16]] for i in range(16)]
        if n < 10:
            s = [gf_twice(s[i]) ^ gf_twice(s[i & 12 | (i + 1) & 3]) ^ s[i & 12 | (i + 1) & 3]
                 ^ s[i & 12 | (i + 2) & 3] ^ s[i & 12 | (i + 3) & 3] for i in range(16)]
        s = [a ^ b for a, b in zip(s, keys[n])]
    return s


def aes():
    c, r = Cases("aes"), rng("aes")
    box = aes_box()
    key = bytes.fromhex("000102030405060708090a0b0c0d0e0f")
    plain = bytes.fromhex("00112233445566778899aabbccddeeff")
    # The example of FIPS 197, appendix C.1.
    assert bytes(aes_block(box, key, plain)).hex() == "69c4e0d86a7b0430d8cdb78070b4c55a"
    key = bytes(r.randrange(256) for _ in range(16))
    nonce = bytes(r.randrange(256) for _ in range(8))
    data = (TEXT * 5)[:500]
    out = []
    for i in range(0, len(data), 16):
        stream = aes_block(box, key, nonce + struct.pack(">Q", i // 16))
        out += [a ^ b for a, b in zip(data[i:i + 16], stream)]
    c.launch("aes_ctr", "grid=3 block=12")
    c.give("in", "u8", key)
    c.give("in", "u8", nonce)
    c.give("in", "u8", data)
    c.give("out", "u8", out)
    c.give("arg", "s32", [len(data)])
    return c


def crc32():
    c, r = Cases("crc32"), rng("crc32")
    data = bytes(r.randrange(256) for _ in range(700))
    for size, piece, shape in ((700, 6, "grid=2 block=64"), (700, 64, "block=20"),
                               (0, 8, "block=32"), (1, 1, "grid=3 block=32")):
        c.launch("crc32", shape)
        c.give("in", "u8", data[:max(size, 1)])
        c.give("arg", "u32", [size])
        c.give("arg", "u32", [piece])
        c.give("inout", "u32", [0xffffffff])
        c.give("expect", "u32", [zlib.crc32(data[:size])])
    return c


def lz_best(text, at):
    best = (0, 0)
    for d in range(1, min(64, at) + 1):
        n = 0
        while n < 15 and at + n < len(text) and text[at + n] == text[at + n - d]:
            n += 1
        if n > best[1]:
            best = (d, n)
    return best


def lzmatch():
    c = Cases("lzmatch")
    text = TEXT + b"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaabaaaaaaaaaaaa"
    best = [lz_best(text, i) for i in range(len(text))]
    tokens, at = [], 0
    while at < len(text):
        d, n = best[at]
        if n < 3 or at + n >= len(text):
            d = n = 0
        at += n + 1
        tokens += [d, n, text[at - 1], 0]
    flat = [x for pair in best for x in pair]
    c.launch("matches", "grid=%d block=128" % (len(text) // 128 + 1))
    c.give("in", "u8", text)
    c.give("arg", "s32", [len(text)])
    c.give("out", "u8", flat)
    c.launch("parse", "")
    c.give("in", "u8", text)
    c.give("arg", "s32", [len(text)])
    c.give("in", "u8", flat)
    c.give("out", "u8", tokens)
    c.give("out", "s32", [len(tokens) // 4])
    c.launch("expand", "block=32")
    c.give("in", "u8", tokens)
    c.give("arg", "s32", [len(tokens) // 4])
    c.give("out", "u8", text)
    return c


def cases():
    return [sha256(), aes(), crc32(), lzmatch()]
