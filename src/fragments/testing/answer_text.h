// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "fragments/fragment_answer.h"

namespace sparkprof::testing {

// Answers a pasted text, named "pasted".
inline FragmentAnswer AnswerText(const std::string& text) {
  Input input;
  input.path = "folder/pasted";
  input.fragment = RecognizeFragment(text);
  EXPECT_NE(input.fragment, nullptr) << text;
  if (input.fragment == nullptr) return {};
  input.parts.push_back({input.path, [text] { return Result<std::unique_ptr<ByteSource>>(StringSource(text)); }});
  Result<FragmentAnswer> answer = AnswerFragment(input);
  EXPECT_TRUE(answer) << answer.error().message;
  return answer ? std::move(*answer) : FragmentAnswer();
}

// The verdict, facts, and rules with titles, one per line.
inline std::string Summary(const FragmentAnswer& answer) {
  std::string text = answer.answers.verdict + "\n";
  for (const std::string& fact : answer.facts) text += fact + "\n";
  for (const Finding& finding : answer.answers.findings) text += finding.rule + ": " + finding.title + "\n";
  return text;
}

// Answers every prefix of a text: none may crash or hang.
inline void AnswerStartsOf(const std::string& text) {
  for (size_t size = 1; size < text.size(); ++size) {
    Input input;
    input.path = "pasted";
    input.fragment = RecognizeFragment(text);
    input.parts.push_back({"pasted", [start = text.substr(0, size)] {
                             return Result<std::unique_ptr<ByteSource>>(StringSource(start));
                           }});
    EXPECT_TRUE(AnswerFragment(input)) << size;
  }
}

}  // namespace sparkprof::testing
