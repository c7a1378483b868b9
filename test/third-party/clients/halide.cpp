// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// halide PATTERN: pipelines that Halide compiles for CUDA and for the host, as it runs. Both have
// to give the same. Prints TAP, a line for each whose name matches.
#include <Halide.h>

#include <cmath>
#include <cstdio>
#include <fnmatch.h>
#include <functional>

using namespace Halide;

namespace {

const int side = 100; // no multiple of a block's

Var x("x"), y("y"), block_x, block_y, thread_x, thread_y;

// Input that is the same in both.
Func image()
{
	Func f;

	f(x, y) = cast<float>((x * 37 + y * 101) % 255) / 16.0f;
	return f;
}

// A tile of 16x8 threads a block, where it is for a GPU.
Func &tiled(Func &f, bool gpu)
{
	return gpu ? f.gpu_tile(x, y, block_x, block_y, thread_x, thread_y, 16, 8) : f;
}

Func points(bool gpu)
{
	Func in = image(), f;

	f(x, y) = sqrt(in(x, y)) * 2.5f + sin(in(x, y));
	return tiled(f, gpu);
}

// Two passes; the first is computed for each block, to shared memory.
Func blur(bool gpu)
{
	Func in = image(), rows, f;

	rows(x, y) = (in(x - 1, y) + in(x, y) + in(x + 1, y)) / 3;
	f(x, y) = (rows(x, y - 1) + rows(x, y) + rows(x, y + 1)) / 3;
	tiled(f, gpu);
	if (gpu)
		rows.compute_at(f, block_x).gpu_threads(x, y);
	return f;
}

// The first pass in a kernel of its own, whose result stays on the device.
Func blur_in_memory(bool gpu)
{
	Func in = image(), rows, f;

	rows(x, y) = in(x - 1, y) + in(x, y) * 2 + in(x + 1, y);
	f(x, y) = rows(x, y - 1) - rows(x, y + 1);
	tiled(f, gpu);
	rows.compute_root();
	tiled(rows, gpu);
	return f;
}

Func matrices(bool gpu)
{
	Func a = image(), b, product, f;
	RDom k(0, side);

	b(x, y) = a(y, x);
	product(x, y) = 0.0f;
	product(x, y) += a(k, y) * b(x, k);
	f(x, y) = product(x, y);
	tiled(f, gpu);
	if (gpu)
		product.compute_at(f, thread_x).update().unroll(k, 4);
	return f;
}

// Atomics on device memory.
Func histogram(bool gpu)
{
	Func in = image(), counts, f;
	RDom r(0, side, 0, side);
	RVar block, thread;

	counts(x) = 0;
	counts(clamp(cast<int>(in(r.x, r.y)), 0, 15)) += 1;
	f(x, y) = cast<float>(counts(x % 16) + y);
	counts.compute_root();
	if (gpu) {
		Var b, t;

		counts.gpu_tile(x, b, t, 16);
		counts.update().atomic().split(r.y, block, thread, 4).gpu_blocks(block).gpu_threads(thread);
	}
	return tiled(f, gpu);
}

Func integers(bool gpu)
{
	Func f;
	Expr a = cast<int16_t>(x * 251 - y * 7), b = cast<uint8_t>(x + y);

	f(x, y) = cast<float>((a / 3) % 17 + (a >> 2) + (cast<int>(b) ^ 0x55) + cast<int>(a) * x / (y + 1));
	return tiled(f, gpu);
}

Func choice(bool gpu)
{
	Func in = image(), f;

	f(x, y) = select(in(x, y) > 8, pow(in(x, y), 1.5f), exp(-in(x, y)) + select(x < y, 1.0f, -1.0f));
	return tiled(f, gpu);
}

Func doubles(bool gpu)
{
	Func in = image(), f;

	f(x, y) = cast<float>(log(cast<double>(in(x, y)) + 1) * atan(cast<double>(x - y)));
	return tiled(f, gpu);
}

struct pipeline {
	const char *name;
	Func (*make)(bool gpu);
};

const pipeline pipelines[] = {
	{"points", points},       {"blur", blur},	  {"blur_in_memory", blur_in_memory},
	{"matrices", matrices},   {"histogram", histogram}, {"integers", integers},
	{"choice", choice},       {"doubles", doubles},
};

bool same(const pipeline &p, const Target &cuda)
{
	Buffer<float> want = p.make(false).realize({side, side}, get_host_target());
	Buffer<float> got(side, side);
	int different = 0;

	p.make(true).realize(got, cuda);
	if (!got.device_dirty()) {
		printf("# %s: was not computed on the device\n", p.name);
		return false;
	}
	got.copy_to_host();
	for (int j = 0; j < side; j++)
		for (int i = 0; i < side; i++)
			if (std::fabs(want(i, j) - got(i, j)) > 1e-5f * (1 + std::fabs(want(i, j))) && !different++)
				printf("# %s: %g at %d,%d; the host has %g\n", p.name, got(i, j), i, j, want(i, j));
	return !different;
}

} // namespace

int main(int argc, char **argv)
{
	const Target cuda = get_host_target().with_feature(Target::CUDA).with_feature(Target::CUDACapability70);
	int failed = 0;

	if (argc != 2)
		return 2;
	for (const pipeline &p : pipelines) {
		if (fnmatch(argv[1], p.name, 0))
			continue;
		const bool right = same(p, cuda);

		printf("%s - %s\n", right ? "ok" : "not ok", p.name);
		fflush(stdout);
		failed |= !right;
	}
	return failed;
}
