// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "formats/testing/read_profile.h"

namespace sparkprof::testing {
namespace {

constexpr const char* kText =
    "--- Execution profile ---\nTotal samples       : 14\nunknown_Java        : 1 (7.14%)\n\n"
    "--- 8208 bytes (91.07%), 2 samples\n  [ 0] byte[]\n  [ 1] java.util.jar.Manifest.read_[j]\n\n"
    "--- 805 bytes (8.93%), 1 sample\n  [ 0] Job.main\n\n"
    "       bytes  percent  samples  top\n  ----------  -------  -------  ---\n        8208   91.07%        2  "
    "byte[]\n";

TEST(AsprofTextTest, ReadsStacksAndSkipsTheTable) {
  const Result<Profile> profile = ReadProfile("asprof-text", kText);
  ASSERT_TRUE(profile);
  EXPECT_EQ(StacksOf(*profile, 0), (Stacks{{"java.util.jar.Manifest.read_[j];byte[]", 8208}, {"Job.main", 805}}));
  EXPECT_EQ(profile->samples[0].count, 2);
  EXPECT_EQ(profile->events[0].name, "alloc");
  EXPECT_EQ(RecognizeProfileFormat(kText)->name, "asprof-text");
}

TEST(AsprofTextTest, TableAloneHasNoStacks) {
  EXPECT_EQ(DamageOf("asprof-text", "--- Execution profile ---\nTotal samples       : 2\n"),
            "input: line 2: expected call stacks; have async-profiler print them with traces=N");
  EXPECT_EQ(DamageOf("asprof-text", "--- x ns (1%), 1 sample\n  [ 0] a\n--- 5 ns (1%), 1 sample\n  [ 0] a\n"),
            "input: line 1: expected --- NUMBER UNIT (SHARE%), NUMBER samples, found '--- x ns (1%), 1 sample'");
}

TEST(AsprofTreeTest, ReadsListsOfEachVersion) {
  const std::string before_3 =
      "<!DOCTYPE html>\n<style>ul.tree li {}</style><script>\nx\n</script>\n<ul class='tree'>\n"
      "<li><div>[0] 75.00% 3,000 self: 25.00% 1,000</div><span class=\"t1\"> Job.&lt;init&gt;</span>\n<ul>\n"
      "<li><div>[1] 50.00% 2,000 self: 50.00% 2,000</div><span class=\"t2\"> f</span>\n</ul>\n"
      "<li><div>[0] 25.00% 1,000 self: 25.00% 1,000</div><span class=\"t1\"> g</span>\n</ul>\n</html>\n";
  const std::string in_3 =
      "<!DOCTYPE html>\n<style>ul.tree li {}</style><script>\n</script>\n  <ul class=\"tree\">\n"
      "    <li><div>75.00% [3,000] &#8226; self: 25.00% [1,000]</div> <span "
      "class=\"t1\">Job.&lt;init&gt;</span>\n<ul>\n"
      "<li><div class=\"o\">50.00% [2,000] &#8226; self: 50.00% [2,000]</div> <span class=\"t2\">f</span>\n</ul>\n"
      "<li><div class=\"o\">25.00% [1,000] &#8226; self: 25.00% [1,000]</div> <span class=\"t1\">g</span>\n"
      "    <script>\n    </script>\n  </ul>\n</html>\n";
  for (const std::string& text : {before_3, in_3}) {
    EXPECT_EQ(StacksOfText("asprof-html", text), (Stacks{{"Job.<init>", 1000}, {"Job.<init>;f", 2000}, {"g", 1000}}));
    EXPECT_EQ(RecognizeProfileFormat(text)->name, "asprof-html");
    EXPECT_NE(DamageOf("asprof-html", text.substr(0, text.rfind("<li>"))), "");
  }
}

}  // namespace
}  // namespace sparkprof::testing
