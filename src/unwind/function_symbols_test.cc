// SPDX-License-Identifier: Apache-2.0
#include "unwind/function_symbols.h"

#include <gtest/gtest.h>
#include <link.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

extern "C" __attribute__((noinline)) int NamedForFunctionSymbolsTest() { return 7; }

namespace sparkprof {
namespace {

namespace fs = std::filesystem;

uint64_t OwnBias() {
  uint64_t bias = 0;
  const auto first = [](dl_phdr_info* info, size_t, void* value) {
    *static_cast<uint64_t*>(value) = info->dlpi_addr;
    return 1;
  };
  dl_iterate_phdr(first, &bias);
  return bias;
}

TEST(FunctionSymbols, NamesTheFunctionThatContainsAnAddress) {
  const auto symbols = FunctionSymbols::Open("/proc/self/exe");
  ASSERT_TRUE(symbols) << symbols.error().message;
  const uint64_t address = reinterpret_cast<uint64_t>(&NamedForFunctionSymbolsTest) - OwnBias();
  EXPECT_EQ(symbols->SymbolAt(address), "NamedForFunctionSymbolsTest");
  EXPECT_EQ(symbols->SymbolAt(address + 2), "NamedForFunctionSymbolsTest");
  EXPECT_EQ(symbols->SymbolAt(1), "");
  EXPECT_EQ(symbols->SymbolAt(UINT64_MAX), "");
}

TEST(FunctionSymbols, DamagedFilesHaveOtherSymbolsOrNone) {
  std::ifstream in("/proc/self/exe", std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(in)), {});
  const fs::path path = fs::path(testing::TempDir()) / "damaged.elf";
  std::mt19937_64 random(7);
  for (int round = 0; round < 60; ++round) {
    std::string damaged = bytes;
    for (int i = 0; i < 20; ++i) damaged[random() % 64] = static_cast<char>(random());
    if (round % 2 == 0) damaged = bytes.substr(0, random() % bytes.size());
    damaged.replace(0, 4,
                    "\x7F"
                    "ELF");
    std::ofstream(path, std::ios::binary) << damaged;
    const auto symbols = FunctionSymbols::Open(path);
    if (symbols) symbols->SymbolAt(random() % bytes.size());
  }
  fs::remove(path);
}

TEST(FunctionSymbols, OtherFilesAreRefused) {
  EXPECT_FALSE(FunctionSymbols::Open("/proc/self/cmdline"));
  EXPECT_FALSE(FunctionSymbols::Open("/"));
  EXPECT_FALSE(FunctionSymbols::Open("/does/not/exist"));
}

}  // namespace
}  // namespace sparkprof
