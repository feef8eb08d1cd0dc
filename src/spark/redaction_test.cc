// SPDX-License-Identifier: Apache-2.0
#include "spark/redaction.h"

#include <gtest/gtest.h>

namespace sparkprof {
namespace {

TEST(RedactionTest, SettingsNamedAfterSecretsAreRedacted) {
  for (const char* name : {"spark.ssl.keyPassword", "spark.hadoop.fs.s3a.access.key", "SPARK_AUTH_SECRET", "my.apiKey",
                           "spark.github.TOKEN", "aws.credentials.provider", "fs.s3a.accessKey"}) {
    EXPECT_EQ(RedactSetting(name, "abc"), kRedacted) << name;
  }
}

TEST(RedactionTest, OtherSettingsKeepTheirValues) {
  EXPECT_EQ(RedactSetting("spark.master", "local[2]"), "local[2]");
  EXPECT_EQ(RedactSetting("spark.keyrange", "a=b"), "a=b");
}

TEST(RedactionTest, SecretsInsideOfCommandLinesAreRedactedAndTheRestIsKept) {
  EXPECT_EQ(RedactSetting("sun.java.command", "org.Main --conf spark.x.password=hunter2 --name=a -Dapi.key=k,b"),
            "org.Main --conf spark.x.password=*********(redacted) --name=a -Dapi.key=*********(redacted),b");
}

TEST(RedactionTest, AValueThatItselfHoldsAnEqualsSignIsRedactedWhole) {
  EXPECT_EQ(RedactSetting("opts", "token=a=b c"), "token=*********(redacted) c");
}

TEST(RedactionTest, AnEmptySecretStaysEmpty) { EXPECT_EQ(RedactSetting("password", ""), ""); }

}  // namespace
}  // namespace sparkprof
