// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "formats/testing/read_profile.h"

namespace sparkprof::testing {
namespace {

// The parts of pages that readers depend on, in the order of each version.
std::string PageOf29(const std::string& frames, const std::string& reverse = "false") {
  return "<!DOCTYPE html>\n<h1>CPU profile</h1>\n<canvas id='canvas'></canvas>\n<script>\n\tvar reverse = " + reverse +
         ";\n\tfunction f(level, left, width, type, title, inln, c1, int) {}\n" + frames +
         "search();\n</script></body></html>\n";
}

std::string PageOf30(const std::string& reverse) {
  return "<!DOCTYPE html>\n<h1>CPU profile</h1>\n<canvas id='canvas'></canvas>\n<script>\n\tlet reverse = " + reverse +
         ";\n\tfunction f(key, level, left, width, inln, c1, int) {}\nconst cpool = [\n' all',\n' com.A',\n'%B'\n];\n"
         "unpack(cpool);\n\nn(3,10)\nu(9,10)\nu(16,4)\nn(9,3)\n\nsearch();\n</script></body></html>\n";
}

std::string PageOf45(const std::string& title, const std::string& inverted = "false",
                     const std::string& maxdiff = "-1") {
  return "<!DOCTYPE html>\n<html lang='en'>\n<script>\n{\n}\n</script>\n</head>\n<h1>" + title +
         "</h1>\n<button id='search'><svg xmlns='http://www.w3.org/2000/svg'><path d='M1'/></svg></button>\n"
         "<canvas id='canvas'></canvas>\n<script>\n\tlet inverted = " +
         inverted + ";\n\tconst maxdiff = " + maxdiff +
         ";\n\tfunction f(key, level, left, width, inln, c1, int) {}\nconst cpool = [\n' all',\n' com.A',\n'%B'\n];\n"
         "unpack(cpool);\n\nn(3,10)\nd=2\nu(9,10)\nu(16,4)\nf(9,2,4,3)\n\nsearch();\n</script></body></html>\n";
}

const Stacks kStacks{{"com.A", 3}, {"com.A;com.AB", 4}, {"com.A;com.A", 3}};

std::string FormatOf(const std::string& text) {
  const ProfileFormat* const format = RecognizeProfileFormat(text);
  return format == nullptr ? "" : std::string(format->name);
}

TEST(AsprofHtmlTest, PagesOfAllVersionsAreRecognizedWithAnyTitle) {
  for (const std::string& page : {PageOf29("f(0,0,10,3,'all')\n"), PageOf30("false"), PageOf45("Flame Graph"),
                                  PageOf45("My job"), PageOf45("Flame Graph", "true")}) {
    EXPECT_EQ(FormatOf(page), "asprof-html") << page;
    std::string lower_case = page;
    lower_case.replace(0, 15, "<!doctype html>");
    EXPECT_EQ(FormatOf(lower_case), "asprof-html") << page;
  }
}

TEST(AsprofHtmlTest, NamesAreInTheCallsBefore30) {
  EXPECT_EQ(StacksOfText("asprof-html", PageOf29("f(0,0,10,3,'all')\nf(1,0,10,1,'a')\nf(2,0,4,0,'b\\'s')\n")),
            (Stacks{{"a", 6}, {"a;b's", 4}}));
}

TEST(AsprofHtmlTest, NamesOfThePoolShareBeginnings) {
  EXPECT_EQ(StacksOfText("asprof-html", PageOf30("false")), kStacks);
  EXPECT_EQ(StacksOfText("asprof-html", PageOf45("Flame Graph")), kStacks);
}

TEST(AsprofHtmlTest, ReversedPagesAreTurnedAround) {
  EXPECT_EQ(StacksOfText("asprof-html", PageOf29("f(0,0,10,3,'all')\nf(1,0,10,1,'leaf')\nf(2,0,4,0,'root')\n", "true")),
            (Stacks{{"leaf", 6}, {"root;leaf", 4}}));
  EXPECT_EQ(StacksOfText("asprof-html", PageOf30("true")),
            (Stacks{{"com.A", 3}, {"com.AB;com.A", 4}, {"com.A;com.A", 3}}));
  EXPECT_EQ(StacksOfText("asprof-html",
                         "<!DOCTYPE html>\n<style>ul.tree {}</style>\n<span>Backtrace view</span>\n<ul>\n"
                         "<li><div>100.00% [5]</div> <span class=\"t1\">leaf</span>\n<ul>\n"
                         "<li><div>100.00% [5]</div> <span class=\"t1\">root</span>\n</ul>\n</ul>\n"),
            (Stacks{{"root;leaf", 5}}));
}

// Since 4.0, --reverse and --inverted look the same.
TEST(AsprofHtmlTest, InvertedPagesAreReadAsDrawnWithANote) {
  const Result<Profile> profile = ReadProfile("asprof-html", PageOf45("Flame Graph", "true"));
  ASSERT_TRUE(profile);
  EXPECT_EQ(StacksOf(*profile, 0), kStacks);
  ASSERT_EQ(profile->notes.size(), 1u);
  EXPECT_NE(profile->notes[0].find("inverted flame graph"), std::string::npos);
  EXPECT_TRUE(ReadProfile("asprof-html", PageOf45("Flame Graph"))->notes.empty());
}

TEST(AsprofHtmlTest, ADifferentialGraphIsItsSecondProfile) {
  const Result<Profile> profile = ReadProfile("asprof-html", PageOf45("Flame Graph", "false", "3"));
  ASSERT_TRUE(profile);
  EXPECT_EQ(StacksOf(*profile, 0), kStacks);
  ASSERT_EQ(profile->notes.size(), 1u);
  EXPECT_NE(profile->notes[0].find("differential flame graph"), std::string::npos);
}

TEST(AsprofHtmlTest, DamageNamesTheLine) {
  EXPECT_EQ(DamageOf("asprof-html", "<html>canvas\nf(9,0,1,1,'x')\n").substr(0, 14), "input: line 2:");
  const std::string page = PageOf45("Flame Graph");
  // The page has a script before that of the frames.
  EXPECT_EQ(DamageOf("asprof-html", page.substr(0, page.find("\nsearch();"))),
            "input: line 26: expected </script> after the frames, found the end of the file");
}

}  // namespace
}  // namespace sparkprof::testing
