# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# An expression for nixpkgs, of this tree: nix-build packaging/nix
# scripts/check-packaging parses and evaluates it, and makes what its flags say; nixpkgs itself was
# not at hand.
{
  pkgs ? import <nixpkgs> { },
}:

let
  inherit (pkgs) lib stdenv;
in
stdenv.mkDerivation {
  pname = "gpurun";
  version = lib.fileContents ../../VERSION;

  # Without what was built here.
  src = lib.cleanSourceWith {
    src = ../..;
    filter = path: type: path != toString ../../build && lib.cleanSourceFilter path type;
  };

  buildInputs = [
    pkgs.elfutils
    pkgs.lz4
    pkgs.zlib
    pkgs.zstd
  ];

  enableParallelBuilding = true;
  makeFlags = [
    "PREFIX=${placeholder "out"}"
    "CCACHE="
  ];

  # The suites need tools of their own; the installed command runs a kernel.
  doInstallCheck = true;
  installCheckPhase = ''
    runHook preInstallCheck
    export GPURUN_DEVICE=cpu
    $out/bin/gpurun examples/cuda/vadd.fatbin --list
    $out/bin/gpurun examples/cuda/saxpy.ptx --launch saxpy --threads 4Ki -b 256 \
      -a 2.0 -a x=f32:4Ki:iota -a y=f32:4Ki:fill=1 -a len:x --expect y=iota=1,2
    runHook postInstallCheck
  '';

  meta = {
    description = "Runs compiled GPU kernels from the shell, on a GPU or on the processor";
    homepage = lib.fileContents ../url;
    license = {
      spdxId = "Apache-2.0 WITH LLVM-exception";
      fullName = "Apache License 2.0 with LLVM Exceptions";
      free = true;
    };
    mainProgram = "gpurun";
    platforms = [ "x86_64-linux" ];
  };
}
