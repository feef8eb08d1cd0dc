// SPDX-License-Identifier: Apache-2.0
#include "event_log/clean_texts.h"

#include <gtest/gtest.h>

#include <string>

namespace sparkprof {
namespace {

// How often a text is searched that is redacted twice.
int Searches(CleanTexts* clean, const std::string& text, bool has_secret) {
  int searches = 0;
  for (int i = 0; i < 2; ++i) {
    clean->Redact(text, [&] {
      ++searches;
      return has_secret;
    });
  }
  return searches;
}

TEST(CleanTextsTest, ATextWithoutSecretsIsSearchedOnce) {
  CleanTexts clean;
  EXPECT_EQ(Searches(&clean, "a plan", false), 1);
  EXPECT_EQ(Searches(&clean, "another plan", false), 1);
  EXPECT_EQ(Searches(&clean, "a plan", false), 0);
}

TEST(CleanTextsTest, ATextWithASecretIsSearchedEachTime) {
  CleanTexts clean;
  EXPECT_EQ(Searches(&clean, "password=x", true), 2);
  EXPECT_EQ(Searches(&clean, "password=x", true), 2);
}

TEST(CleanTextsTest, AfterAChangeOfRedactionEverythingIsSearchedAgain) {
  CleanTexts clean;
  EXPECT_EQ(Searches(&clean, "a plan", false), 1);
  clean.Clear();
  EXPECT_EQ(Searches(&clean, "a plan", false), 1);
}

TEST(CleanTextsTest, TextsBeyondTheBoundAreSearchedEachTime) {
  CleanTexts clean;
  for (size_t i = 0; i < CleanTexts::kMax; ++i) clean.Redact(std::to_string(i), [] { return false; });
  EXPECT_EQ(Searches(&clean, "0", false), 0);
  EXPECT_EQ(Searches(&clean, "one more", false), 2);
}

}  // namespace
}  // namespace sparkprof
