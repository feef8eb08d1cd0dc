// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "base/text/escaped_text.h"

namespace sparkprof {
namespace {

TEST(MarkdownTextTest, NamesAddNoMarkdownAndNoHtml) {
  EXPECT_EQ(EscapeMarkdown("a|b\n<img src=x> [x](y) `c` *d* ~e~ &lt; # f"),
            "a\\|b\xEF\xBF\xBD\\<img src=x\\> \\[x\\](y) \\`c\\` \\*d\\* \\~e\\~ \\&lt; \\#&#8203; f");
}

TEST(MarkdownTextTest, SentencesStayAsTheyAre) {
  for (const char* const text : {"Stage 3: GC takes 66.5% of task time (12:30:01), -1/2 of it.",
                                 "1.2 s to 4.0 s; see a/b - c", "", "  ", "..."}) {
    EXPECT_EQ(EscapeMarkdown(text), text);
  }
}

TEST(MarkdownTextTest, WordsThatASiteWouldLinkAreCode) {
  for (const std::string word :
       {"http://evil.example/a?b=c", "HTTPS://EVIL.EXAMPLE", "//evil.example", "www.evil.example", "evil.com",
        "job.py:12", "mail@evil.example", "mailto:me", "xmpp:me", "javascript:alert", "@octocat", "GH-1", "$x$",
        "b\xC3\xBC"
        "cher.example",
        "a.\xD1\x80\xD1\x84", "x*http://evil.example/*"}) {
    EXPECT_EQ(EscapeMarkdown("see (" + word + "), then"), "see (`" + word + "`), then");
  }
}

TEST(MarkdownTextTest, ACellOfATableAndCodeEndWhereTheyShould) {
  EXPECT_EQ(EscapeMarkdown("a.b|c.d"), "`a.b`\\|`c.d`");
  EXPECT_EQ(EscapeMarkdown("x`http://a``b"), "```x`http://a``b```");
  EXPECT_EQ(EscapeMarkdown("`@all`"), "`` `@all` ``");
  EXPECT_EQ(EscapeMarkdown("@ :rocket:"), "`@` `:rocket`:");
  EXPECT_EQ(EscapeMarkdown("#12 org/repo#3"), "\\#&#8203;12 org/repo\\#&#8203;3");
}

}  // namespace
}  // namespace sparkprof
