// SPDX-License-Identifier: Apache-2.0
// Stands in for the fuzzer's main: runs the target with every file of the folders given.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>

#include "base/io/file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int main(int argument_count, char** arguments) {
  int seeds = 0;
  for (int i = 1; i < argument_count; ++i) {
    for (const auto& entry : std::filesystem::directory_iterator(arguments[i])) {
      const auto content = sparkprof::ReadFile(entry.path());
      if (!content) {
        std::fprintf(stderr, "%s\n", content.error().message.c_str());
        return 1;
      }
      LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(content->data()), content->size());
      ++seeds;
    }
  }
  if (seeds == 0) std::fprintf(stderr, "no seeds given\n");
  return seeds == 0 ? 1 : 0;
}
