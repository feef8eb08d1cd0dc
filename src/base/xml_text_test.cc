// SPDX-License-Identifier: Apache-2.0
#include "base/xml_text.h"

#include <gtest/gtest.h>

namespace sparkprof {
namespace {

TEST(XmlTextTest, EscapesMarkupAndReplacesWhatXmlForbids) {
  EXPECT_EQ(EscapeXml("a<b> & \"c\"\n"), "a&lt;b&gt; &amp; &quot;c&quot;\n");
  EXPECT_EQ(EscapeXml(std::string_view("x\0\x1b", 3)), "x\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(EscapeXml("\xff"), "\xEF\xBF\xBD");
}

}  // namespace
}  // namespace sparkprof
