// SPDX-License-Identifier: Apache-2.0
#include "profiles/profile_transform.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <map>
#include <string>

#include "model/samples/profile_builder.h"

namespace sparkprof {
namespace {

using Stacks = std::map<std::string, int64_t>;

// One stack of weight 1, of thread "the java" (process 12, thread 13), with the command as its first frame, as in perf.
Profile OneStack(std::initializer_list<std::pair<std::string_view, FrameKind>> frames) {
  ProfileReadOptions options{.name = "test"};
  options.keep_threads = true;
  ProfileBuilder builder(options);
  Sample sample{.event = builder.AddEvent("cpu", "count"), .weight = 1, .count = 1};
  for (const auto& [name, kind] : frames) {
    sample.stack = builder.profile().stacks.Push(sample.stack, builder.AddFrame(name, kind));
  }
  sample.thread = builder.AddThread({.process = 12, .tid = 13, .name = "the java"});
  builder.Add(sample);
  return builder.Take();
}

Stacks After(Profile profile, const ProfileTransform& transform) {
  const Result<Profile> shown = Transform(std::move(profile), transform);
  Stacks stacks;
  std::vector<FrameId> path;
  for (const Sample& sample : shown->samples) {
    std::string text;
    shown->stacks.Unwind(sample.stack, &path);
    for (const FrameId id : path) {
      text += (text.empty() ? "" : ";") + FrameLabel(shown->strings, shown->frames.Get(id));
    }
    stacks[text] += sample.weight;
  }
  return stacks;
}

TEST(ProfileTransform, SimpleNamesKeepTheClass) {
  EXPECT_EQ(SimpleName("org.apache.spark.rdd.RDD.iterator"), "RDD.iterator");
  EXPECT_EQ(SimpleName("org/apache/spark/rdd/RDD.iterator"), "RDD.iterator");
  EXPECT_EQ(SimpleName("Main.main"), "Main.main");
  EXPECT_EQ(SimpleName("__libc_start_main"), "__libc_start_main");
  EXPECT_EQ(SimpleName("org.x.Job$$Lambda/0x00007f01a4001000.apply"), "Job$$Lambda/0x00007f01a4001000.apply");
  EXPECT_EQ(SimpleName("org.x.Job$$Lambda.0x00007f01a4001000.apply"), "Job$$Lambda.0x00007f01a4001000.apply");
  EXPECT_EQ(SimpleName("org.x.Job$$Lambda$14.1234.apply"), "Job$$Lambda$14.1234.apply");
  EXPECT_EQ(SimpleName("java.lang.String"), "String") << "the class of an allocation";
  EXPECT_EQ(SimpleName("java.util.HashMap$Node[]"), "HashMap$Node[]");
  EXPECT_EQ(SimpleName("scala.Predef$.ArrowAssoc"), "Predef$.ArrowAssoc");
  EXPECT_EQ(SimpleName("do_read.constprop.0"), "do_read.constprop.0") << "not a package";
}

TEST(ProfileTransform, KeepsOnlyWhatItsSamplesUse) {
  Profile profile = OneStack({{"main", FrameKind::kJit}, {"work", FrameKind::kJit}});
  const StringId unused = profile.strings.Intern("a secret of another selection");
  profile.stacks.Push(0, profile.frames.Intern({unused, 0, 0, FrameKind::kJit}));
  const Result<Profile> shown = Transform(profile, {.simple_names = true});
  ASSERT_TRUE(shown) << shown.error().message;
  EXPECT_EQ(shown->stacks.Size(), 3u);  // nothing, main, main;work
  EXPECT_EQ(shown->frames.Size(), 3u);
  EXPECT_EQ(shown->strings.Size(), 3u);

  const Result<Profile> kept = Transform(profile, {.simple_names = true, .keep_strings = true});
  ASSERT_TRUE(kept) << kept.error().message;
  EXPECT_EQ(kept->strings.Get(unused), profile.strings.Get(unused)) << "the rest of an application may refer to it";
  EXPECT_EQ(kept->frames.Size(), 3u);
}

TEST(ProfileTransform, TakesSamplesWhoseStacksAreThoseOfAnotherProfile) {
  const Profile tables = OneStack({{"main", FrameKind::kJit}, {"work", FrameKind::kJit}});
  Profile samples{.name = "half", .events = tables.events};
  samples.samples = {{.stack = 1, .weight = 5, .count = 1}};
  const Result<Profile> shown = Transform(tables, samples, {});
  ASSERT_TRUE(shown) << shown.error().message;
  ASSERT_EQ(shown->samples.size(), 1u);
  EXPECT_EQ(shown->samples[0].weight, 5);
  EXPECT_EQ(shown->stacks.Size(), 2u);
  EXPECT_EQ(FrameLabel(shown->strings, shown->frames.Get(shown->stacks.Get(shown->samples[0].stack).frame)), "main");
}

TEST(ProfileTransform, LambdasAreMergedWhateverTheLengthOfTheirAddress) {
  for (const char* name :
       {"Job$$Lambda/0x7f01.apply", "Job$$Lambda/0x00007f01a4001000.apply", "Job$$Lambda/12.apply"}) {
    EXPECT_EQ(After(OneStack({{name, FrameKind::kJit}}), {.merge_lambdas = true}), (Stacks{{"Job$$Lambda.apply", 1}}));
  }
}

TEST(ProfileTransform, FramesAtTheRootAreSkipped) {
  const auto stack = [] { return OneStack({{"a", {}}, {"b", {}}, {"c", {}}}); };
  EXPECT_EQ(After(stack(), {.skip = 2}), (Stacks{{"c", 1}}));
  EXPECT_EQ(After(stack(), {.skip = 3}), (Stacks{}));
}

TEST(ProfileTransform, NamesSayTheKindAndNotTheAddress) {
  const auto stack = [] {
    return OneStack({{"Run", FrameKind::kJit}, {"get", FrameKind::kInlined}, {"at_0x1fB", FrameKind::kKernel}});
  };
  EXPECT_EQ(After(stack(), {.annotate_kernel = true}), (Stacks{{"Run;get;at_0x1fB_[k]", 1}}));
  EXPECT_EQ(After(stack(), {.annotate_jit = true}), (Stacks{{"Run_[j];get_[i];at_0x1fB", 1}}));
  EXPECT_EQ(After(stack(), {.strip_hex = true}), (Stacks{{"Run;get;at_0x...", 1}}));
}

TEST(ProfileTransform, TheCommandHasTheIdsOfItsProcessAndThread) {
  const auto stack = [] { return OneStack({{"the_java", {}}, {"run", {}}}); };
  EXPECT_EQ(After(stack(), {.process_ids = true}), (Stacks{{"the_java-12;run", 1}}));
  EXPECT_EQ(After(stack(), {.thread_ids = true}), (Stacks{{"the_java-12/13;run", 1}}));
  EXPECT_EQ(After(OneStack({{"run", {}}}), {.thread_ids = true}), (Stacks{{"the_java-12/13;run", 1}}));
}

}  // namespace
}  // namespace sparkprof
