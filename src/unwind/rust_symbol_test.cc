// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "unwind/function_symbols.h"

namespace sparkprof {
namespace {

using Path = std::optional<std::string>;

TEST(RustSymbol, APathHasNeitherHashNorTypeArguments) {
  EXPECT_EQ(RustPathOfSymbol("_RNvNtCs1234_7mycrate3foo3bar"), Path("mycrate::foo::bar"));
  EXPECT_EQ(RustPathOfSymbol("_RINvNtC3std3mem8align_ofdE"), Path("std::mem::align_of"));
  EXPECT_EQ(RustPathOfSymbol("_RINvNtC3std3mem8align_ofjECs1_7mycrate"), Path("std::mem::align_of"));
  EXPECT_EQ(RustPathOfSymbol("_RNvC7mycrate3foo.llvm.9D1C9369"), Path("mycrate::foo"));
  EXPECT_EQ(RustPathOfSymbol("_RNvC7mycrate4_123"), std::nullopt) << "a name cannot end beyond the symbol";
}

TEST(RustSymbol, ClosuresShimsAndImplementations) {
  EXPECT_EQ(RustPathOfSymbol("_RNCNvC7mycrate3foo0B3_"), Path("mycrate::foo::{closure#0}"));
  EXPECT_EQ(RustPathOfSymbol("_RNCNCNgCs6DXkGYLi8lr_2cc5spawn00B5_"), Path("cc::spawn::{closure#0}::{closure#0}"));
  EXPECT_EQ(RustPathOfSymbol("_RNSC7mycrate4drop"), Path("mycrate::{shim:drop#0}"));
  EXPECT_EQ(RustPathOfSymbol("_RNvMC7mycrateNtC7mycrate3Foo3bar"), Path("mycrate::Foo::bar"));
  EXPECT_EQ(RustPathOfSymbol("_RNvMNtC4core3strSh4iter"), Path("<[u8]>::iter"));
  EXPECT_EQ(RustPathOfSymbol("_RNvXC7mycrateNtC7mycrate3FooNtNtC4core5clone5Clone5clone"),
            Path("<mycrate::Foo as core::clone::Clone>::clone"));
}

TEST(RustSymbol, TypesAndConstants) {
  EXPECT_EQ(RustPathOfSymbol("_RNvMC1aINtC1a1SRL_hAtj4_TmbEE1f"), Path("a::S<&u8, [u16; 4], (u32, bool)>::f"));
  EXPECT_EQ(RustPathOfSymbol("_RNvMC1aINtC1a1SKj2a_Kb1_Kc41_Kin5_KpE1f"), Path("a::S<42, true, 'A', -5, _>::f"));
  EXPECT_EQ(RustPathOfSymbol("_RNvMC1aINtC1a1SFUKCPhQlEuDG_NtC1a1TEL_E1f"),
            Path("a::S<unsafe extern \"C\" fn(*const u8, &mut i32), dyn a::T>::f"));
}

TEST(RustSymbol, OtherAndDamagedSymbolsHaveNoPath) {
  const std::string whole = "_RINvNvXC7mycrateINtC7mycrate3FoomENtNtC4core5clone5Clone5clone3barFhEuE";
  ASSERT_EQ(RustPathOfSymbol(whole), Path("<mycrate::Foo<u32> as core::clone::Clone>::clone::bar"));
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_EQ(RustPathOfSymbol(whole.substr(0, size)), std::nullopt) << size;
  }
  EXPECT_EQ(RustPathOfSymbol("_ZN3foo3barE"), std::nullopt);
  EXPECT_EQ(RustPathOfSymbol("_Rubbish"), std::nullopt);
  EXPECT_EQ(RustPathOfSymbol("_RNvB_3foo"), std::nullopt) << "refers to itself";
}

TEST(RustSymbol, WorkIsBounded) {
  EXPECT_EQ(RustPathOfSymbol("_R" + std::string(100'000, 'N')), std::nullopt);
  // Each of the tuples has the one before twice.
  const auto reference = [](size_t place) {
    constexpr std::string_view kDigits = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    std::string digits = "_";
    for (size_t number = place - 1;; number /= kDigits.size()) {
      digits.insert(0, 1, kDigits[number % kDigits.size()]);
      if (number < kDigits.size()) return "B" + digits;
    }
  };
  std::string symbol = "_RNvMC1aINtC1a1S", before = "h";
  for (int i = 0; i < 30; ++i) {
    const size_t place = symbol.size() - 2;
    symbol += "T" + before + before + "E";
    before = reference(place);
  }
  EXPECT_EQ(RustPathOfSymbol(symbol + "E1f"), std::nullopt);
}

}  // namespace
}  // namespace sparkprof
