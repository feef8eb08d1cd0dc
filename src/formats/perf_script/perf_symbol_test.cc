// SPDX-License-Identifier: Apache-2.0
#include "formats/perf_script/perf_symbol.h"

#include <gtest/gtest.h>

namespace sparkprof {
namespace {

std::string Tidied(std::string name) {
  TidyPerfName(&name);
  return name;
}

std::string Demangled(std::string_view symbol) {
  std::string name(symbol);
  DemangleRust(symbol, &name);
  return name;
}

// Names in the form of inferno-collapse-perf 0.12.8.
TEST(PerfSymbolTest, ArgumentsAreCutOutsideOfBrackets) {
  EXPECT_EQ(Tidied("main(int, char**)"), "main");
  EXPECT_EQ(Tidied("std::vector<int>::push_back(int const&) const"), "std::vector<int>::push_back");
  EXPECT_EQ(Tidied("std::function<void (int, int)>::operator()(int, int) const"),
            "std::function<void (int, int)>::operator");
  EXPECT_EQ(Tidied("main::{lambda(int)#1}::operator()"), "main::{lambda(int)#1}::operator");
  EXPECT_EQ(Tidied("operator new(unsigned long)"), "operator new");
  EXPECT_EQ(Tidied("Job::operator bool() const"), "Job::operator bool");
  EXPECT_EQ(Tidied("std::operator<< <std::char_traits<char> >"), "std::operator<< <std::char_traits<char> >");
  EXPECT_EQ(Tidied("std::operator<<(std::ostream&, char)"), "std::operator<<(std::ostream&, char)");
}

TEST(PerfSymbolTest, ParenthesesOfNamesStay) {
  EXPECT_EQ(Tidied("net/http.(*Client).Do(int)"), "net/http.(*Client).Do");
  EXPECT_EQ(Tidied("x::(anonymous namespace)::f(int)"), "x::(anonymous namespace)::f");
  EXPECT_EQ(Tidied("Lorg/x/Y;.z(Lorg/x/A;)V"), "Lorg/x/Y:.z");
  EXPECT_EQ(Tidied("RegExp:[&<>\"']"), "RegExp:[&<>\"']");
}

TEST(PerfSymbolTest, RustsHashesAndEscapesAreUndone) {
  EXPECT_EQ(Demangled("core::fmt::write::h0123456789abcdef"), "core::fmt::write");
  EXPECT_EQ(Demangled("_$LT$a..b$u20$as$u20$$RF$c$GT$::d::h0123456789ABCDEF"), "<a::b as &c>::d");
  EXPECT_EQ(Demangled("a.b$?$LT$c::h0123456789abcdef"), "a.b$?$LT$c");
  EXPECT_EQ(Demangled("a::h0123456789abcde"), "a::h0123456789abcde");
  EXPECT_EQ(Demangled("a$LT$b"), "a$LT$b");
}

TEST(PerfSymbolTest, OffsetsAreCut) {
  EXPECT_EQ(WithoutPerfOffset("main+0x1f"), "main");
  EXPECT_EQ(WithoutPerfOffset("main+0x1g"), "main+0x1g");
  EXPECT_EQ(WithoutPerfOffset("a+0x1+0x2"), "a+0x1");
  EXPECT_EQ(WithoutPerfOffset("main"), "main");
}

}  // namespace
}  // namespace sparkprof
