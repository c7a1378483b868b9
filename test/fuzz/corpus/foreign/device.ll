; a
define ptx_kernel void @k() {
}
