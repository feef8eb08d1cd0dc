// SPDX-License-Identifier: Apache-2.0
// Stands in for the fuzzer's main: runs the target with COUNT random inputs, chosen by SEED.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int main(int argument_count, char** arguments) {
  if (argument_count != 3) {
    std::fprintf(stderr, "usage: %s COUNT SEED\n", arguments[0]);
    return 2;
  }
  std::mt19937_64 random(std::strtoull(arguments[2], nullptr, 10));
  std::array<uint64_t, 128> input{};
  for (unsigned long long i = std::strtoull(arguments[1], nullptr, 10); i > 0; --i) {
    for (uint64_t& bytes : input) bytes = random();
    LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(input.data()), sizeof input);
  }
  return 0;
}
