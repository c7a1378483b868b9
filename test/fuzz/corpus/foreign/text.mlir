// RUN: x
/* y */ #map = affine_map<() -> ()>
module {
}
