# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels in Numba, each compared with NumPy. Prints TAP. Patterns select some of them by name."""
import fnmatch
import math
import sys
import traceback

import numpy as np
from numba import complex64, cuda, float32, float64, int32, uint32, vectorize, guvectorize
from numba.cuda.random import create_xoroshiro128p_states, xoroshiro128p_uniform_float32

TESTS = []
N = 1000
X = np.arange(N, dtype=np.float32)


def test(function):
    TESTS.append(function)
    return function


def same(got, want):
    np.testing.assert_array_equal(got, want)


def near(got, want, rtol=1e-6):
    np.testing.assert_allclose(got, want, rtol=rtol)


@test
def vector_add():
    @cuda.jit
    def kernel(x, y, out):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = x[i] + y[i]

    out = np.zeros_like(X)
    kernel[8, 128](X, X[::-1].copy(), out)
    same(out, np.full_like(X, N - 1))


@test
def strided_loop():
    @cuda.jit("void(float64[:], float64)")
    def kernel(x, factor):
        for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
            x[i] *= factor

    x = np.linspace(0, 1, 4321)
    want = x * 2.5
    kernel[3, 64](x, 2.5)
    same(x, want)


@test
def strided_arrays():
    @cuda.jit
    def kernel(x, out):
        i, j = cuda.grid(2)
        if i < out.shape[0] and j < out.shape[1]:
            out[i, j] = x[i, j] * 10 + j

    x = np.arange(600, dtype=np.int64).reshape(20, 30)
    out = cuda.to_device(np.zeros((10, 10), dtype=np.int64))
    kernel[(2, 2), (8, 8)](cuda.to_device(x)[::2, ::3], out)
    same(out.copy_to_host(), x[::2, ::3] * 10 + np.arange(10))


@test
def transpose_in_tiles():
    @cuda.jit
    def kernel(x, out):
        tile = cuda.shared.array((16, 17), float32)
        i, j = cuda.grid(2)
        tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
        if i < x.shape[0] and j < x.shape[1]:
            tile[tx, ty] = x[i, j]
        cuda.syncthreads()
        i = cuda.blockIdx.x * 16 + ty
        j = cuda.blockIdx.y * 16 + tx
        if i < x.shape[0] and j < x.shape[1]:
            out[j, i] = tile[ty, tx]

    x = np.arange(45 * 70, dtype=np.float32).reshape(45, 70)
    out = np.zeros((70, 45), dtype=np.float32)
    kernel[(3, 5), (16, 16)](x, out)
    same(out, x.T)


@test
def matrix_product():
    @cuda.jit
    def kernel(a, b, c):
        sa = cuda.shared.array((8, 8), float32)
        sb = cuda.shared.array((8, 8), float32)
        i, j = cuda.grid(2)
        tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
        total = float32(0)
        for k in range(a.shape[1] // 8):
            sa[tx, ty] = a[i, k * 8 + ty]
            sb[tx, ty] = b[k * 8 + tx, j]
            cuda.syncthreads()
            for n in range(8):
                total += sa[tx, n] * sb[n, ty]
            cuda.syncthreads()
        c[i, j] = total

    rng = np.random.default_rng(1)
    a = rng.random((32, 48), dtype=np.float32)
    b = rng.random((48, 24), dtype=np.float32)
    c = np.zeros((32, 24), dtype=np.float32)
    kernel[(4, 3), (8, 8)](a, b, c)
    near(c, a @ b, 1e-5)


@test
def block_sums():
    @cuda.jit
    def kernel(x, out):
        part = cuda.shared.array(128, float64)
        tid = cuda.threadIdx.x
        i = cuda.grid(1)
        part[tid] = x[i] if i < x.size else 0
        width = 64
        while width:
            cuda.syncthreads()
            if tid < width:
                part[tid] += part[tid + width]
            width //= 2
        if tid == 0:
            out[cuda.blockIdx.x] = part[0]

    out = np.zeros(8)
    kernel[8, 128](X, out)
    near(out, [X[i * 128:(i + 1) * 128].sum(dtype=np.float64) for i in range(8)])


@test
def dynamic_shared():
    @cuda.jit
    def kernel(x):
        everyone = cuda.shared.array(0, int32)
        everyone[cuda.threadIdx.x] = x[cuda.threadIdx.x]
        cuda.syncthreads()
        x[cuda.threadIdx.x] = everyone[cuda.blockDim.x - 1 - cuda.threadIdx.x]

    x = np.arange(200, dtype=np.int32)
    kernel[1, 200, 0, 800](x)
    same(x, np.arange(199, -1, -1))


@test
def reduce_decorator():
    total = cuda.reduce(lambda a, b: a + b)
    assert total(np.arange(5000)) == 12497500
    assert total(np.arange(3), init=7) == 10


@test
def histogram_atomics():
    @cuda.jit
    def kernel(x, bins, most, least):
        i = cuda.grid(1)
        if i < x.size:
            cuda.atomic.add(bins, x[i] % 10, 1)
            cuda.atomic.max(most, 0, x[i])
            cuda.atomic.min(least, 0, x[i])

    x = np.random.default_rng(2).integers(-500, 500, N).astype(np.int32)
    bins, most, least = np.zeros(10, np.int32), np.zeros(1, np.int32), np.zeros(1, np.int32)
    kernel[8, 128](x, bins, most, least)
    same(bins, np.bincount(x % 10, minlength=10))
    assert most[0] == x.max() and least[0] == x.min()


@test
def float_atomics():
    @cuda.jit
    def kernel(single, double, swapped):
        cuda.atomic.add(single, cuda.grid(1) % 4, 0.5)
        cuda.atomic.add(double, 0, 0.25)
        cuda.atomic.compare_and_swap(swapped, 5, 8)
        cuda.atomic.exch(swapped, 1, 9)

    single, double, swapped = np.zeros(4, np.float32), np.zeros(1), np.array([5, 6])
    kernel[4, 100](single, double, swapped)
    same(single, np.full(4, 50))
    same(double, [100])
    same(swapped, [8, 9])


@test
def math_functions():
    @cuda.jit
    def kernel(x, out):
        i = cuda.grid(1)
        if i < x.size:
            v = x[i]
            out[0, i] = math.sin(v) * math.cos(v) + math.tan(v / 4)
            out[1, i] = math.exp(-v) + math.log1p(v) + math.sqrt(v)
            out[2, i] = math.atan2(v, 2.0) + math.hypot(v, 1.0) + math.pow(v, 1.5)
            out[3, i] = math.erf(v) + math.lgamma(v + 1) + math.tanh(v)
            out[4, i] = math.floor(v) + math.fmod(v, 0.7) + math.copysign(v, -1.0)

    for dtype, rtol in ((np.float64, 1e-13), (np.float32, 2e-5)):
        x = np.linspace(0.1, 6, 200).astype(dtype)
        out = np.zeros((5, 200), dtype)
        kernel[2, 128](x, out)
        v = x.astype(np.float64)
        near(out[0], np.sin(v) * np.cos(v) + np.tan(v / 4), rtol)
        near(out[1], np.exp(-v) + np.log1p(v) + np.sqrt(v), rtol)
        near(out[2], np.arctan2(v, 2) + np.hypot(v, 1) + v ** 1.5, rtol)
        near(out[3], [math.erf(e) + math.lgamma(e + 1) + math.tanh(e) for e in v], rtol)
        if dtype is np.float64:
            near(out[4], np.floor(v) + np.fmod(v, 0.7) - v, rtol)


@test
def device_functions():
    @cuda.jit(device=True)
    def clamp(v, low, high):
        return max(low, min(v, high))

    @cuda.jit(device=True, inline=True)
    def both(v):
        return clamp(v, 100, 900), v % 7

    @cuda.jit
    def kernel(x, a, b):
        i = cuda.grid(1)
        if i < x.size:
            a[i], b[i] = both(x[i])

    x = np.arange(N)
    a, b = np.zeros_like(x), np.zeros_like(x)
    kernel[8, 128](x, a, b)
    same(a, x.clip(100, 900))
    same(b, x % 7)


@test
def local_arrays():
    @cuda.jit
    def kernel(x, out):
        own = cuda.local.array(16, int32)
        i = cuda.grid(1)
        for k in range(16):
            own[k] = x[i] * k
        for k in range(15):  # in another order
            j = (k * 7) % 16
            own[j], own[k] = own[k], own[j]
        total = 0
        for k in range(16):
            total = total * 3 + own[k]
        out[i] = total

    x = np.arange(64, dtype=np.int32)
    out = np.zeros(64, np.int64)
    kernel[2, 32](x, out)
    want = []
    for v in range(64):
        own = [v * k for k in range(16)]
        for k in range(15):
            j = (k * 7) % 16
            own[j], own[k] = own[k], own[j]
        want.append(sum(e * 3 ** (15 - k) for k, e in enumerate(own)))
    same(out, want)


@test
def constant_arrays():
    weights = np.array([1, 4, 6, 4, 1], np.float32) / 16

    @cuda.jit
    def kernel(x, out):
        w = cuda.const.array_like(weights)
        i = cuda.grid(1)
        if 2 <= i < x.size - 2:
            total = float32(0)
            for k in range(5):
                total += w[k] * x[i + k - 2]
            out[i] = total

    out = np.zeros_like(X)
    kernel[8, 128](X * X, out)
    near(out[2:-2], np.convolve(X * X, weights, "valid"), 1e-5)


@test
def warp_operations():
    @cuda.jit
    def kernel(out):
        lane = cuda.laneid
        i = cuda.threadIdx.x
        out[0, i] = cuda.shfl_sync(0xffffffff, i, 5)
        out[1, i] = cuda.shfl_up_sync(0xffffffff, i, 1)
        out[2, i] = cuda.shfl_xor_sync(0xffffffff, i, 3)
        out[3, i] = cuda.ballot_sync(0xffffffff, lane % 3 == 0) & 0xff
        out[4, i] = cuda.any_sync(0xffffffff, lane == 31) and cuda.all_sync(0xffffffff, lane < 32)
        out[5, i] = cuda.popc(cuda.match_any_sync(0xffffffff, lane % 4))
        out[6, i] = cuda.brev(uint32(i)) >> 24
        out[7, i] = cuda.clz(uint32(i)) + cuda.ffs(uint32(i))

    out = np.zeros((8, 64), np.int64)
    kernel[1, 64](out)
    i = np.arange(64)
    lane = i % 32
    same(out[0], i - lane + 5)
    same(out[1], i - (lane > 0))
    same(out[2], i ^ 3)
    same(out[3], np.full(64, 0b01001001))
    same(out[4], np.ones(64))
    same(out[5], np.full(64, 8))
    same(out[6], [int(f"{v:032b}"[::-1], 2) >> 24 for v in i])
    same(out[7], [32 - int(v).bit_length() + (int(v) & -int(v)).bit_length() for v in i])


@test
def grid_of_three_dimensions():
    @cuda.jit
    def kernel(out):
        i, j, k = cuda.grid(3)
        if i < out.shape[0] and j < out.shape[1] and k < out.shape[2]:
            out[i, j, k] = i * 10000 + j * 100 + k + cuda.gridDim.z * 0

    out = np.zeros((10, 11, 12), np.int32)
    kernel[(3, 3, 4), (4, 4, 3)](out)
    i, j, k = np.indices(out.shape)
    same(out, i * 10000 + j * 100 + k)


@test
def streams_and_pinned_memory():
    @cuda.jit
    def kernel(x, add):
        i = cuda.grid(1)
        if i < x.size:
            x[i] += add

    streams = [cuda.stream() for _ in range(4)]
    pinned = [cuda.pinned_array(N, np.float32) for _ in streams]
    for n, (stream, host) in enumerate(zip(streams, pinned)):
        host[:] = X
        device = cuda.to_device(host, stream=stream)
        kernel[8, 128, stream](device, n)
        kernel[8, 128, stream](device, 10)
        device.copy_to_host(host, stream=stream)
    for n, (stream, host) in enumerate(zip(streams, pinned)):
        stream.synchronize()
        same(host, X + n + 10)


@test
def events():
    @cuda.jit
    def kernel(x):
        i = cuda.grid(1)
        if i < x.size:
            for _ in range(100):
                x[i] = x[i] * 3 + 1

    start, end = cuda.event(), cuda.event()
    first, second = cuda.stream(), cuda.stream()
    x = cuda.to_device(np.ones(N, np.int64))
    start.record(first)
    kernel[8, 128, first](x)
    end.record(first)
    end.wait(second)
    kernel[8, 128, second](x)
    second.synchronize()
    assert end.query() and cuda.event_elapsed_time(start, end) >= 0
    want = np.ones(N, np.int64)
    for _ in range(200):
        want = want * 3 + 1
    same(x.copy_to_host(), want)


@test
def managed_and_mapped_memory():
    @cuda.jit
    def kernel(a, b):
        i = cuda.grid(1)
        if i < a.size:
            a[i] += b[i]
            b[i] = -1

    a = cuda.managed_array(N, np.int32)
    b = cuda.mapped_array(N, np.int32)
    a[:] = 5
    b[:] = np.arange(N)
    kernel[8, 128](a, b)
    cuda.synchronize()
    same(a, np.arange(N) + 5)
    same(b, np.full(N, -1))


@test
def vectorized_functions():
    @vectorize(["float32(float32, float32)", "float64(float64, float64)"], target="cuda")
    def blend(a, b):
        return a * 0.25 + b * 0.75

    @guvectorize(["void(float64[:], float64[:], float64[:])"], "(n),(n)->()", target="cuda")
    def dot(a, b, out):
        total = 0.0
        for i in range(a.shape[0]):
            total += a[i] * b[i]
        out[0] = total

    same(blend(X, X[::-1].copy()), X * np.float32(0.25) + X[::-1] * np.float32(0.75))
    a = np.arange(60.).reshape(6, 10)
    near(dot(a, a + 1), (a * (a + 1)).sum(axis=1))


@test
def records_and_complex():
    point = np.dtype([("x", np.float32), ("y", np.float64), ("tag", np.int16)], align=True)

    @cuda.jit
    def kernel(points, z):
        i = cuda.grid(1)
        if i < points.size:
            points[i].y = points[i].x * 2 + points[i].tag
            z[i] = z[i] * complex64(1j) + abs(z[i])

    points = np.zeros(100, point)
    points["x"], points["tag"] = np.arange(100), 7
    z = (np.arange(100) + 2j).astype(np.complex64)
    want = z * 1j + abs(z)
    kernel[1, 128](points, z)
    same(points["y"], np.arange(100) * 2 + 7)
    near(z, want)


@test
def mandelbrot():
    @cuda.jit(device=True)
    def steps(c, most):
        z = 0j
        for n in range(most):
            z = z * z + c
            if z.real * z.real + z.imag * z.imag >= 4:
                return n
        return most

    @cuda.jit
    def kernel(image, most):
        i, j = cuda.grid(2)
        if i < image.shape[0] and j < image.shape[1]:
            image[i, j] = steps(complex(-2 + i * 0.1, -1 + j * 0.1), most)

    image = np.zeros((30, 20), np.int32)
    kernel[(4, 3), (8, 8)](image, 50)
    other = sum(image[i, j] != steps.py_func(complex(-2 + i * 0.1, -1 + j * 0.1), 50)
                for i in range(30) for j in range(20))
    # NVVM makes one operation of a product and a sum, which tells at the very edge
    assert other < 12 and image[10, 10] == 50 and image[0, 0] == 0, (other, image[10, 10], image[0, 0])


@test
def random_numbers():
    @cuda.jit
    def kernel(states, inside):
        i = cuda.grid(1)
        count = 0
        for _ in range(200):
            x = xoroshiro128p_uniform_float32(states, i)
            y = xoroshiro128p_uniform_float32(states, i)
            count += x * x + y * y <= 1
        inside[i] = count

    inside = np.zeros(256, np.int64)
    kernel[4, 64](create_xoroshiro128p_states(256, seed=3), inside)
    assert abs(4 * inside.sum() / (256 * 200) - math.pi) < 0.05


@test
def exceptions_in_kernels():
    @cuda.jit(debug=True, opt=False)
    def kernel(x):
        i = cuda.grid(1)
        if x[i] == 37:
            raise ValueError("37 is there")

    kernel[1, 32](np.arange(32))
    try:
        kernel[2, 32](np.arange(64))
    except ValueError as error:
        assert "tid=[0, 0, 5] ctaid=[0, 0, 1]" in str(error), error
    else:
        raise AssertionError("no exception")


def main(wanted):
    failed = 0
    for function in TESTS:
        if wanted and not any(fnmatch.fnmatchcase(function.__name__, w) for w in wanted):
            continue
        try:
            function()
        except Exception:
            failed = 1
            print("".join("# " + line + "\n" for line in traceback.format_exc().splitlines()[-8:]), end="")
            print("not ok -", function.__name__, flush=True)
        else:
            print("ok -", function.__name__, flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
