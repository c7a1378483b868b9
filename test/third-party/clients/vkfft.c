/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * vkfft PATTERN: transforms of VkFFT in its backend for CUDA, against sums that are written out;
 * the inverse has to give the input back. Prints TAP, a line for each whose name matches.
 */
#define VKFFT_BACKEND 1
#include <vkFFT.h>

#include <complex.h>
#include <fnmatch.h>
#include <stdbool.h>

struct transform {
	const char *name;
	size_t n[3]; /* n[0] is the fastest; 0: fewer dimensions */
	size_t batches;
	bool wide; /* doubles */
};

static const struct transform transforms[] = {
	{"8", {8}, 1, false},
	{"64_of_10", {64}, 10, false},
	{"1000", {1000}, 1, false}, /* radix 2 and 5 */
	{"3_7_11_13", {3003}, 2, false},
	{"17", {17}, 3, false}, /* primes: Bluestein's convolutions */
	{"131", {131}, 2, false},
	{"1024", {1024}, 4, false},
	{"32768", {32768}, 1, false}, /* more than the shared memory of a block */
	{"plane", {48, 20}, 2, false},
	{"space", {16, 12, 10}, 1, false},
	{"double_256", {256}, 3, true},
	{"double_30", {30}, 2, true},
	{"double_plane", {24, 35}, 1, true},
};

static size_t points(const struct transform *t)
{
	return t->n[0] * (t->n[1] ? t->n[1] : 1) * (t->n[2] ? t->n[2] : 1) * t->batches;
}

/* The sums along one axis, whose elements are @step apart, of @all points. */
static void sums(double complex *data, size_t all, size_t n, size_t step)
{
	double complex *line = calloc(2 * n, sizeof(*line)), *turn = line + n;

	for (size_t k = 0; k < n; k++)
		turn[k] = cexp(-2 * M_PI * I * (double)k / (double)n);
	for (size_t first = 0; first < all; first++) {
		if (first / step % n)
			continue;
		for (size_t k = 0; k < n; k++)
			line[k] = data[first + k * step];
		for (size_t k = 0; k < n; k++) {
			double complex sum = 0;

			for (size_t i = 0; i < n; i++)
				sum += line[i] * turn[i * k % n];
			data[first + k * step] = sum;
		}
	}
	free(line);
}

static void wanted(const struct transform *t, double complex *data)
{
	size_t step = 1;

	for (int axis = 0; axis < 3 && t->n[axis]; axis++) {
		sums(data, points(t), t->n[axis], step);
		step *= t->n[axis];
	}
}

/* Copies @data to the device in the precision of @t, or back. */
static void copy(const struct transform *t, double complex *data, void *device, bool back)
{
	size_t all = points(t);
	float complex *narrow = calloc(all, sizeof(*narrow));
	void *host = t->wide ? (void *)data : narrow;
	size_t size = all * (t->wide ? sizeof(*data) : sizeof(*narrow));

	for (size_t i = 0; !back && i < all; i++)
		narrow[i] = (float complex)data[i];
	if (back)
		cudaMemcpy(host, device, size, cudaMemcpyDeviceToHost);
	else
		cudaMemcpy(device, host, size, cudaMemcpyHostToDevice);
	for (size_t i = 0; back && !t->wide && i < all; i++)
		data[i] = narrow[i];
	free(narrow);
}

static bool near(const struct transform *t, const double complex *want, const double complex *got,
		 double scale, const char *what)
{
	const double most = t->wide ? 1e-12 : 2e-5;
	double difference = 0, largest = 0;

	for (size_t i = 0; i < points(t); i++) {
		difference = fmax(difference, cabs(want[i] * scale - got[i]));
		largest = fmax(largest, cabs(want[i] * scale));
	}
	if (difference <= most * largest)
		return true;
	printf("# %s: %s: %g of %g, %g is allowed\n", t->name, what, difference, largest,
	       most * largest);
	return false;
}

static bool transformed(const struct transform *t, VkFFTApplication *app, void *device)
{
	const size_t all = points(t);
	double complex *input = calloc(3 * all, sizeof(*input));
	double complex *want = input + all, *got = want + all;
	VkFFTLaunchParams parameters = {0};
	unsigned state = 1;
	bool right;

	for (size_t i = 0; i < all; i++) {
		state = state * 1664525U + 1013904223U;
		input[i] = want[i] = (state >> 20) / 2048.0 - 1 + (state >> 8 & 255) / 128.0 * I - I;
	}
	wanted(t, want);
	copy(t, input, device, false);
	right = VkFFTAppend(app, -1, &parameters) == VKFFT_SUCCESS;
	copy(t, got, device, true);
	right = right && near(t, want, got, 1, "forward");
	right = VkFFTAppend(app, 1, &parameters) == VKFFT_SUCCESS && right;
	copy(t, got, device, true);
	right = right && near(t, input, got, (double)(all / t->batches), "inverse");
	free(input);
	return right;
}

static bool passes(const struct transform *t, CUdevice device)
{
	uint64_t size = points(t) * (t->wide ? 16 : 8);
	VkFFTConfiguration configuration = {.device = &device, .bufferSize = &size};
	VkFFTApplication app = {0};
	VkFFTResult result;
	void *buffer = NULL;
	bool right;

	cudaMalloc(&buffer, size);
	configuration.buffer = &buffer;
	configuration.numberBatches = t->batches;
	configuration.doublePrecision = t->wide;
	for (int axis = 0; axis < 3 && t->n[axis]; axis++) {
		configuration.size[axis] = t->n[axis];
		configuration.FFTdim++;
	}
	result = initializeVkFFT(&app, configuration);
	if (result != VKFFT_SUCCESS) {
		printf("# %s: initializeVkFFT: %d\n", t->name, (int)result);
		return false;
	}
	right = transformed(t, &app, buffer);
	deleteVkFFT(&app);
	cudaFree(buffer);
	return right;
}

int main(int argc, char **argv)
{
	CUdevice device;
	int failed = 0;

	if (argc != 2 || cuInit(0) || cudaSetDevice(0) || cuDeviceGet(&device, 0))
		return 2;
	for (size_t i = 0; i < sizeof(transforms) / sizeof(transforms[0]); i++) {
		const struct transform *t = &transforms[i];
		bool right;

		if (fnmatch(argv[1], t->name, 0))
			continue;
		right = passes(t, device);
		printf("%s - %s\n", right ? "ok" : "not ok", t->name);
		failed |= !right;
	}
	return failed;
}
