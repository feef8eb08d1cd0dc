// SPDX-License-Identifier: Apache-2.0
#include "model/stable_name.h"

#include <gtest/gtest.h>

namespace sparkprof {
namespace {

TEST(StableNameTest, DropsWhatDiffersFromJvmToJvm) {
  EXPECT_EQ(StableName("a.Job$$Lambda$3465.0x00007f5a88f44000.apply"), "a.Job$$Lambda.apply");
  EXPECT_EQ(StableName("a.Job$$Lambda$3465/0x00007f5a88f44000.apply"), "a.Job$$Lambda.apply");
  EXPECT_EQ(StableName("a.Job$$Lambda/0x00007f5a88f44000.apply"), "a.Job$$Lambda.apply");
  EXPECT_EQ(StableName("a.Job$$$Lambda$12.apply"), "a.Job$$$Lambda.apply");
  EXPECT_EQ(StableName("java.lang.invoke.LambdaForm$MH.0x00007f5a88f44000.invoke"),
            "java.lang.invoke.LambdaForm$MH.invoke");
  EXPECT_EQ(StableName("jdk.internal.reflect.GeneratedMethodAccessor12.invoke"),
            "jdk.internal.reflect.GeneratedMethodAccessor.invoke");
}

TEST(StableNameTest, KeepsEverythingElse) {
  for (const char* name : {"", "$", "a.B.c", "a.Job$$anonfun$1.apply", "a.B.0xcafe", "x.Accessor.get", "v8.B2.c3",
                           "GeneratedClass$GeneratedIteratorForCodegenStage7.processNext"}) {
    EXPECT_EQ(StableName(name), name);
  }
}

}  // namespace
}  // namespace sparkprof
