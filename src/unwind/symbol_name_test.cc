// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "unwind/function_symbols.h"

namespace sparkprof {
namespace {

TEST(SymbolName, CKeepsItsNameWithoutWhatCompilersAdd) {
  EXPECT_EQ(FunctionOfSymbol("dgemm_kernel_HASWELL"), "dgemm_kernel_HASWELL");
  EXPECT_EQ(FunctionOfSymbol("deflate_slow.constprop.0.cold"), "deflate_slow");
  EXPECT_EQ(FunctionOfSymbol("memcpy@@GLIBC_2.14"), "memcpy");
}

TEST(SymbolName, CppIsDemangledWithoutParameters) {
  EXPECT_EQ(FunctionOfSymbol("_ZNK5arrow6Buffer4CopyEl"), "arrow::Buffer::Copy");
  EXPECT_EQ(FunctionOfSymbol("_ZN3FooclEi"), "Foo::operator()");
  EXPECT_EQ(FunctionOfSymbol("_ZN12_GLOBAL__N_13barEv.cold"), "(anonymous namespace)::bar");
  EXPECT_EQ(FunctionOfSymbol("_Znot_a_name"), "_Znot_a_name");
}

TEST(SymbolName, RustHasNoHashAndNoEscapes) {
  EXPECT_EQ(FunctionOfSymbol("_ZN4core3ptr13drop_in_place17h0123456789abcdefE"), "core::ptr::drop_in_place");
  EXPECT_EQ(
      FunctionOfSymbol("_ZN61_$LT$alloc..vec..Vec$LT$T$GT$$u20$as$u20$core..fmt..Debug$GT$3fmt17h0123456789abcdefE"),
      "<alloc::vec::Vec<T> as core::fmt::Debug>::fmt");
}

}  // namespace
}  // namespace sparkprof
