// SPDX-License-Identifier: Apache-2.0
#include "failures/phrase_index.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>

namespace sparkprof {
namespace {

using Found = std::set<std::pair<uint32_t, size_t>>;

Found Search(const std::vector<std::string_view>& phrases, std::string_view text) {
  Found found;
  PhraseIndex(phrases).Search(text, [&](uint32_t phrase, size_t at) { found.emplace(phrase, at); });
  return found;
}

TEST(PhraseIndexTest, AllOccurrencesOfAllPhrasesAreFound) {
  const std::vector<std::string_view> phrases = {"java.lang.Error", "java.lang.Exception", "Exception"};
  EXPECT_EQ(Search(phrases, "java.lang.Exception: java.lang.Error"), (Found{{1, 0}, {2, 10}, {0, 21}}));
  EXPECT_EQ(Search(phrases, "Exception"), (Found{{2, 0}})) << "at both ends of the text";
}

TEST(PhraseIndexTest, APartOfAPhraseIsNotThePhrase) {
  EXPECT_EQ(Search({"java.lang.Error"}, "java.lang.Err"), Found());
  EXPECT_EQ(Search({"java.lang.Error"}, "lang.Error"), Found());
  EXPECT_EQ(Search({"java.lang.Error"}, ""), Found());
  EXPECT_EQ(Search({}, "java.lang.Error"), Found());
}

TEST(PhraseIndexTest, EqualPhrasesAreBothFound) {
  EXPECT_EQ(Search({"the same", "the same"}, "are the same"), (Found{{0, 4}, {1, 4}}));
}

}  // namespace
}  // namespace sparkprof
