// SPDX-License-Identifier: Apache-2.0
#include "http_server/worker_lane.h"

#include <gtest/gtest.h>

#include <future>
#include <latch>

namespace sparkprof {
namespace {

// Work that ran and work that was dropped, in order.
class WorkerLaneTest : public testing::Test {
 protected:
  void Submit(WorkerLane* lane, const std::string& client, const std::string& name) {
    lane->Submit(client, {[this, name] { Note(name); }, [this, name] { Note("-" + name); }});
  }
  // Occupies a thread until `release`.
  void Block(WorkerLane* lane, const std::string& client) {
    std::promise<void> entered;
    lane->Submit(client, {[&entered, released = released_] {
                            entered.set_value();
                            released.wait();
                          },
                          [] {}});
    entered.get_future().wait();
  }
  void Note(const std::string& name) {
    const std::lock_guard lock(mutex_);
    noted_ += (noted_.empty() ? "" : " ") + name;
  }

  std::promise<void> release_;
  std::shared_future<void> released_{release_.get_future()};
  std::mutex mutex_;
  std::string noted_;
};

TEST_F(WorkerLaneTest, ClientsHaveTheirTurns) {
  WorkerLane lane(1, 100);
  Block(&lane, "a");
  for (const char* name : {"a1", "a2", "a3", "a4"}) Submit(&lane, "a", name);
  for (const char* name : {"b1", "b2"}) Submit(&lane, "b", name);
  Submit(&lane, "c", "c1");
  EXPECT_EQ(lane.Waiting(), 7U);
  std::latch done(1);
  lane.Submit("c", {[&done] { done.count_down(); }, [] {}});
  release_.set_value();
  done.wait();
  EXPECT_TRUE(noted_.starts_with("b1 c1 a1 b2")) << noted_;
}

TEST_F(WorkerLaneTest, AThreadIsLeftForOtherClients) {
  WorkerLane lane(3, 100);
  Block(&lane, "a");
  Block(&lane, "a");
  Submit(&lane, "a", "a3");
  std::latch done(1);
  lane.Submit("b", {[&] { Note("b1"), done.count_down(); }, [] {}});
  done.wait();
  EXPECT_EQ(noted_, "b1");
  EXPECT_EQ(lane.Waiting(), 1U);
  release_.set_value();
}

TEST_F(WorkerLaneTest, DropsTheNewestJobOfTheClientWithTheMost) {
  WorkerLane lane(1, 3);
  Block(&lane, "a");
  for (const char* name : {"a1", "a2", "a3"}) Submit(&lane, "a", name);
  Submit(&lane, "b", "b1");
  EXPECT_EQ(noted_, "-a3");
  Submit(&lane, "a", "a4");
  EXPECT_EQ(noted_, "-a3 -a4");
  release_.set_value();
}

TEST_F(WorkerLaneTest, DropsWhatWaitsWhenItStops) {
  WorkerLane lane(1, 100);
  Block(&lane, "a");
  Submit(&lane, "a", "a1");
  Submit(&lane, "b", "b1");
  std::thread stopping([&lane] { lane.Stop(); });
  while (lane.Waiting() > 0) std::this_thread::yield();
  release_.set_value();
  stopping.join();
  EXPECT_EQ(noted_, "-a1 -b1");
}

}  // namespace
}  // namespace sparkprof
