// SPDX-License-Identifier: Apache-2.0
#include "server/folders/opening_marks.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <fstream>
#include <functional>
#include <latch>
#include <optional>
#include <thread>

#include "base/testing/folder_test.h"

namespace sparkprof {
namespace {

class OpeningMarksTest : public FolderTest {
 protected:
  std::unique_ptr<OpeningMarks> Open() const {
    Result<std::unique_ptr<OpeningMarks>> marks = OpeningMarks::Open(folder_);
    EXPECT_TRUE(marks) << marks.error().message;
    return std::move(*marks);
  }
  // Runs `work` in a process that is killed at its end.
  void Kill(const std::function<void(OpeningMarks*)>& work) const {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      const std::unique_ptr<OpeningMarks> marks = Open();
      work(marks.get());
      _exit(1);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status));
  }
  static void Die(OpeningMarks* marks, const std::string& name) {
    const Result<OpeningMarks::Mark> mark = marks->Begin(name);
    raise(SIGKILL);
  }
};

TEST_F(OpeningMarksTest, ARecordingThatEndsTheProcessTwiceIsSetAside) {
  const std::string name = "app \n" + std::string(2000, 'x');
  Kill([&](OpeningMarks* marks) {
    const Result<OpeningMarks::Mark> other = marks->Begin("other");
    Die(marks, name);
  });
  Kill([&](OpeningMarks* marks) {
    EXPECT_TRUE(marks->SetAside().empty());
    { const Result<OpeningMarks::Mark> other = marks->Begin("other"); }
    Die(marks, name);
  });
  for (int start = 3; start < 5; ++start) {
    const std::unique_ptr<OpeningMarks> marks = Open();
    EXPECT_FALSE(marks->Begin(name));
    EXPECT_TRUE(marks->Begin("other"));
    ASSERT_EQ(marks->SetAside().size(), 1U);
    EXPECT_NE(marks->SetAside()[0].find("ended the collector twice"), std::string::npos);
  }
}

TEST_F(OpeningMarksTest, ARecordingThatChangedBetweenTwoEndsIsNotSetAside) {
  for (int start = 0; start < 4; ++start) {
    Kill([start](OpeningMarks* marks) {
      EXPECT_TRUE(marks->SetAside().empty());
      const Result<OpeningMarks::Mark> mark = marks->Begin("app-1", std::to_string(start));
      EXPECT_TRUE(mark);
      raise(SIGKILL);
    });
  }
  EXPECT_TRUE(Open()->Begin("app-1", "3"));
}

TEST_F(OpeningMarksTest, AnEndWithAPartOfTheFilesDoesNotHideThatOfTheWhole) {
  for (const char* const version : {"whole", "part", "whole"}) {
    Kill([version](OpeningMarks* marks) {
      EXPECT_TRUE(marks->SetAside().empty());
      const Result<OpeningMarks::Mark> mark = marks->Begin("app-1", version);
      EXPECT_TRUE(mark);
      raise(SIGKILL);
    });
  }
  EXPECT_FALSE(Open()->Begin("app-1", "whole"));
}

TEST_F(OpeningMarksTest, SuspectsAreOpenedOneAfterAnother) {
  Kill([](OpeningMarks* marks) {
    const Result<OpeningMarks::Mark> innocent = marks->Begin("innocent");
    Die(marks, "cause");
  });
  const std::unique_ptr<OpeningMarks> marks = Open();
  std::optional<OpeningMarks::Mark> cause(*marks->Begin("cause"));
  std::latch begins(1);
  std::atomic<bool> cause_is_closed = false;
  std::thread other([&] {
    begins.count_down();
    const Result<OpeningMarks::Mark> innocent = marks->Begin("innocent");
    EXPECT_TRUE(innocent);
    EXPECT_TRUE(cause_is_closed);
  });
  begins.wait();
  EXPECT_TRUE(marks->Begin("never a suspect"));
  cause_is_closed = true;
  cause.reset();
  other.join();
}

TEST_F(OpeningMarksTest, OneThreadOpensSeveralSuspects) {
  Kill([](OpeningMarks* marks) {
    const Result<OpeningMarks::Mark> first = marks->Begin("app-1");
    Die(marks, "app-2");
  });
  const std::unique_ptr<OpeningMarks> marks = Open();
  const Result<OpeningMarks::Mark> first = marks->Begin("app-1"), second = marks->Begin("app-2");
  EXPECT_TRUE(first);
  EXPECT_TRUE(second);
}

TEST_F(OpeningMarksTest, OpeningThatGoesWellForgetsTheEndBefore) {
  Kill([](OpeningMarks* marks) { Die(marks, "app-1"); });
  Kill([](OpeningMarks* marks) {
    { const Result<OpeningMarks::Mark> mark = marks->Begin("app-1"); }
    raise(SIGKILL);
  });
  Kill([](OpeningMarks* marks) { Die(marks, "app-1"); });
  EXPECT_TRUE(Open()->Begin("app-1"));
}

TEST_F(OpeningMarksTest, AnEndOnPurposeIsNone) {
  for (int times = 0; times < 3; ++times) {
    Kill([](OpeningMarks* marks) {
      const Result<OpeningMarks::Mark> mark = marks->Begin("app-1");
      marks->Close();
      raise(SIGKILL);
    });
  }
  EXPECT_TRUE(Open()->Begin("app-1"));
}

TEST_F(OpeningMarksTest, ARequestHoldsWhatItHasOpened) {
  const auto use = [](OpeningMarks* marks) {
    const OpeningMarks::Scope request;
    { const OpeningMarks::SharedMark shared(*marks->Begin("app-1")); }
    raise(SIGKILL);
  };
  Kill(use);
  Kill(use);
  EXPECT_FALSE(Open()->Begin("app-1"));
}

TEST_F(OpeningMarksTest, SeveralUsersOfOneNameShareItsMark) {
  Kill([](OpeningMarks* marks) { Die(marks, "app-1"); });
  Kill([](OpeningMarks* marks) {
    const Result<OpeningMarks::Mark> first = marks->Begin("app-1");
    { const Result<OpeningMarks::Mark> second = marks->Begin("app-1"); }
    raise(SIGKILL);
  });
  EXPECT_FALSE(Open()->Begin("app-1"));
}

TEST_F(OpeningMarksTest, ADamagedFileHasNoMarks) {
  Kill([](OpeningMarks* marks) { Die(marks, "app-1"); });
  Kill([](OpeningMarks* marks) { Die(marks, "app-1"); });
  {
    std::fstream file(Path("opening"), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(24);
    file << "damage";
  }
  EXPECT_TRUE(Open()->Begin("app-1"));
  std::ofstream(Path("opening"), std::ios::binary) << "o 9999999999999999999 x";
  EXPECT_TRUE(Open()->Begin("app-1"));
}

}  // namespace
}  // namespace sparkprof
