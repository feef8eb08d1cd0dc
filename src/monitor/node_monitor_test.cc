// SPDX-License-Identifier: Apache-2.0
#include "monitor/node_monitor.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <set>

#include "base/testing/folder_test.h"
#include "base/time.h"
#include "model/segment/block.h"

namespace sparkprof {
namespace {

constexpr int64_t kNoonNs = 1'763'899'200 * kNanosPerSecond;  // 2025-11-23T12:00:00Z
constexpr int64_t kHourNs = 3600 * kNanosPerSecond;

// A monitor of a made /proc with one process, and a clock that a test sets.
class NodeMonitorTest : public FolderTest {
 protected:
  void SetUp() override {
    Write("10/cmdline", "sleep");
    Use(0);
    NodeMonitorOptions options;
    options.proc = folder_;
    options.control_groups = folder_;
    options.host = "h";
    options.roots.pids = {10};
    options.interval_ns = kNanosPerSecond;
    options.clock = [this] { return clock_; };
    monitor_ = std::make_unique<NodeMonitor>(options, [this](const std::string&, std::string_view block) {
      ASSERT_TRUE(ReadBlocks(block, "block", [this](Segment&& segment) { segments_.push_back(std::move(segment)); }));
    });
  }

  // CPU time of the process so far.
  void Use(int64_t ticks) {
    Write("10/stat", fmt::format("10 (sleep) S 1 1 1 0 -1 0 5 0 1 0 {} 0 0 0 20 0 1 0 100 8192 2 0\n", ticks));
  }

  // A second later by the monotonic clock; the host's clock was set meanwhile.
  void TickAfterStep(int64_t step_ns) {
    clock_.monotonic_ns += kNanosPerSecond;
    clock_.epoch_ns += kNanosPerSecond + step_ns;
    Use(++ticks_);
    monitor_->Tick();
  }

  std::vector<std::string> Notices() const {
    std::vector<std::string> texts;
    for (const Segment& segment : segments_) {
      for (const Notice& notice : segment.notices) texts.push_back(notice.text);
    }
    return texts;
  }

  // In each recording, times only grow.
  void ExpectOrderedTimes() const {
    std::map<std::string, int64_t> latest;
    for (const Segment& segment : segments_) {
      const std::string recording = segment.source.application_id + "/" + segment.source.application_attempt;
      for (const Series& series : segment.series) {
        for (const SeriesPoint& point : series.points) {
          int64_t& last_ns = latest[recording + series.name];
          EXPECT_GE(point.time_ns, last_ns) << series.name << " of " << recording;
          last_ns = point.time_ns;
        }
      }
      for (const Process& process : segment.processes) {
        int64_t& last_ns = latest[recording];
        EXPECT_GE(process.last_seen_ns, last_ns) << recording;
        last_ns = process.last_seen_ns;
      }
    }
  }

  std::set<std::string> Recordings() const {
    std::set<std::string> names;
    for (const Segment& segment : segments_) {
      names.insert(segment.source.application_id + "/" + segment.source.application_attempt);
    }
    return names;
  }

  ClockAnchor clock_{1'000 * kNanosPerSecond, kNoonNs};
  int64_t ticks_ = 0;
  std::vector<Segment> segments_;
  std::unique_ptr<NodeMonitor> monitor_;
};

TEST_F(NodeMonitorTest, AClockThatIsSetBackBeginsAnotherAttemptOfTheDay) {
  for (const int64_t step_ns : {int64_t{0}, int64_t{0}, -kHourNs, int64_t{0}}) TickAfterStep(step_ns);
  monitor_->Finish();
  EXPECT_EQ(Notices(), std::vector<std::string>{"The host's clock was set back by 1.0 h"});
  EXPECT_EQ(Recordings(), (std::set<std::string>{"node-h-20251123/", "node-h-20251123/2"}));
  ExpectOrderedTimes();
}

TEST_F(NodeMonitorTest, AClockThatIsSetForwardByADayBeginsThatDay) {
  for (const int64_t step_ns : {int64_t{0}, 24 * kHourNs, int64_t{0}}) TickAfterStep(step_ns);
  monitor_->Finish();
  EXPECT_EQ(Notices(), std::vector<std::string>{"The host's clock was set forward by 24.0 h"});
  EXPECT_EQ(Recordings(), (std::set<std::string>{"node-h-20251123/", "node-h-20251124/"}));
  ExpectOrderedTimes();
  // The first day ends when it did, not a day later.
  for (const Segment& segment : segments_) {
    if (segment.source.application_id != "node-h-20251123") continue;
    for (const Process& process : segment.processes) EXPECT_LT(process.last_seen_ns, kNoonNs + kHourNs);
  }
}

TEST_F(NodeMonitorTest, ASmallCorrectionOfTheClockIsNoStep) {
  for (const int64_t step_ns : {int64_t{0}, -kNanosPerSecond / 10, int64_t{0}}) TickAfterStep(step_ns);
  monitor_->Finish();
  EXPECT_TRUE(Notices().empty());
  EXPECT_EQ(Recordings().size(), 1u);
}

}  // namespace
}  // namespace sparkprof
