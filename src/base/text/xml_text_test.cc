// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "base/text/escaped_text.h"

namespace sparkprof {
namespace {

TEST(XmlTextTest, EntitiesAreCharacters) {
  EXPECT_EQ(UnescapeXml("a&lt;b&gt;&amp;&quot;&apos;&#39;&#x20AC;&unknown; & x"), "a<b>&\"''\u20AC&unknown; & x");
  EXPECT_EQ(UnescapeXml(EscapeXml("a<b> & \"c\"")), "a<b> & \"c\"");
}

}  // namespace
}  // namespace sparkprof
