// SPDX-License-Identifier: Apache-2.0
#include "base/redaction/redaction.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/redaction/rules.h"
#include "base/testing/source_file.h"

namespace sparkprof {
namespace {

struct Case {
  int line = 0;
  bool is_setting = false;
  std::string name;
  std::string input;
  std::string expected;
};

std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

constexpr std::string_view kBegin = "«", kEnd = "»";

// The format is described in redaction/cases.txt.
std::vector<Case> Cases() {
  std::ifstream file(SourceFile("redaction/cases.txt"));
  std::vector<Case> cases;
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    line = Replaced(line, "␤", "\n");
    Case& added = cases.emplace_back();
    added.line = number;
    if (line.starts_with("text: ")) {
      added.input = line.substr(6);
    } else if (line.starts_with("setting: ")) {
      const size_t middle = line.find(" := ");
      added.is_setting = true;
      added.name = line.substr(9, middle - 9);
      added.input = line.substr(middle + 4);
    } else {
      cases.pop_back();
      continue;
    }
    added.expected = added.input;
    for (size_t begin = 0; (begin = added.expected.find(kBegin, begin)) != std::string::npos;
         begin += kRedacted.size()) {
      const size_t end = added.expected.find(kEnd, begin) + kEnd.size();
      added.expected.replace(begin, end - begin, kRedacted);
    }
    added.input = Replaced(Replaced(added.input, std::string(kBegin), ""), std::string(kEnd), "");
  }
  return cases;
}

TEST(RedactionTest, EveryCaseOfTheSharedFileIsRedactedAsItSays) {
  const std::vector<Case> cases = Cases();
  ASSERT_GT(cases.size(), 100U);
  for (const Case& c : cases) {
    const std::string redacted = c.is_setting ? RedactSetting(c.name, c.input) : RedactText(c.input);
    EXPECT_EQ(redacted, c.expected) << "redaction/cases.txt:" << c.line << ": " << c.input;
  }
}

TEST(RedactionTest, RedactingTwiceIsTheSameAsOnce) {
  for (const Case& c : Cases()) {
    const std::string once = RedactText(c.input);
    EXPECT_EQ(RedactText(once), once) << "redaction/cases.txt:" << c.line << ": " << c.input;
  }
}

TEST(RedactionTest, TextWithoutSecretsIsLeftInPlace) {
  std::string text = "Running task 0.0 in stage 3.0 (TID 17)";
  const char* const bytes = text.data();
  EXPECT_FALSE(RedactInPlace(&text));
  EXPECT_EQ(text.data(), bytes);
}

// A quadratic scan of one of these would take minutes.
TEST(RedactionTest, LongHostileTextsTakeLinearTime) {
  for (const char* piece : {"-----BEGIN PRIVATE KEY-----",
                            "-----BEGIN PRIVATE KEY-----\n",
                            "aes_decrypt(x, ",
                            "aes_decrypt(",
                            "%25",
                            "\\u0020",
                            "\xc2\xa0",
                            "password=$a$",
                            "password\n:\n",
                            "|a.token|",
                            "a.password b1 ",
                            "AKIA0123456789AB:",
                            "thin:a/b@",
                            "http://a@b:",
                            "putty-user-key-file",
                            "&amp;",
                            "password for ",
                            "password ",
                            "sig='aaaaaaaaaaaaaaaa1 ",
                            "secret=(",
                            "://a:",
                            "user:b@",
                            "curl -u ",
                            "<password ",
                            "\"password\",",
                            "token=\\",
                            "eyJ",
                            "-----BEGIN ",
                            "password=\"\"",
                            "key.",
                            "user,password\n",
                            "password,",
                            "password: |\n  x\n",
                            "password=<<EOF\n",
                            "password=\\\n",
                            "password='a\n",
                            "kind: Secret\ndata:\n  a: b\n",
                            "data:\n",
                            "value:",
                            ":5432:",
                            "echo a | kinit ",
                            "kinit <<<",
                            "(a,password) values ('",
                            "пароль",
                            "p4ssw0rd=",
                            "login(",
                            "sp_addlogin ",
                            "thin:a/"}) {
    std::string text;
    while (text.size() < 200'000) text += piece;
    EXPECT_LE(RedactText(text).size(), text.size() * 8) << piece;
  }
}

}  // namespace
}  // namespace sparkprof
