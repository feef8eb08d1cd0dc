// SPDX-License-Identifier: Apache-2.0
#include "http_server/connection_table.h"

#include <gtest/gtest.h>

#include "http_server/client_network.h"

namespace sparkprof {
namespace {

using State = ConnectionTable::State;
constexpr auto kRequests = ConnectionMemory::kRequests;
constexpr auto kAnswers = ConnectionMemory::kAnswers;

class ConnectionTableTest : public testing::Test {
 protected:
  ConnectionTable::Connection* Add(const std::string& network, State state, int seconds) {
    ConnectionTable::Connection* const connection = table_.Add(network, [this] { ++closed_; });
    connection->state = state;
    connection->since = now_ - std::chrono::seconds(seconds);
    return connection;
  }
  bool Hold(ConnectionTable::Connection* connection, uint64_t bytes, ConnectionMemory memory = kRequests) {
    return table_.Hold(connection, memory, bytes, now_);
  }

  const ConnectionTable::Clock::time_point now_ = ConnectionTable::Clock::now();
  ConnectionTable table_{1000, 1000};
  int closed_ = 0;
};

TEST_F(ConnectionTableTest, MakesRoomWhereTheLongestIdleConnectionOfTheBusiestNetworkIs) {
  ConnectionTable::Connection* const alone = Add("10.0.0.1", State::kIdle, 100);
  const auto *const young = Add("10.0.0.2", State::kIdle, 5), *const old = Add("10.0.0.2", State::kIdle, 9);
  EXPECT_TRUE(table_.MakeRoom(now_));
  EXPECT_TRUE(old->is_evicted);
  EXPECT_FALSE(young->is_evicted || alone->is_evicted);
  EXPECT_EQ(closed_, 1);
}

TEST_F(ConnectionTableTest, MakesRoomWhereNothingMovesIfNoneIsIdle) {
  Add("10.0.0.1", State::kWorking, 100);
  EXPECT_FALSE(table_.MakeRoom(now_));
  Add("10.0.0.1", State::kMoving, 0);
  EXPECT_FALSE(table_.MakeRoom(now_));
  const auto* const slow = Add("10.0.0.1", State::kMoving, 2);
  EXPECT_TRUE(table_.MakeRoom(now_));
  EXPECT_TRUE(slow->is_evicted);
  EXPECT_FALSE(table_.MakeRoom(now_));
}

TEST_F(ConnectionTableTest, AClientHoldsHalfOfTheMemoryAtMost) {
  ConnectionTable::Connection* const first = Add("10.0.0.1", State::kMoving, 0);
  EXPECT_TRUE(Hold(first, 400));
  EXPECT_FALSE(Hold(Add("10.0.0.1", State::kMoving, 0), 101));
  EXPECT_TRUE(Hold(Add("10.0.0.2", State::kMoving, 0), 500));
  EXPECT_FALSE(Hold(Add("10.0.0.3", State::kMoving, 0), 101));
  EXPECT_EQ(table_.Held(kRequests), 900U);
  table_.Remove(first);
  EXPECT_EQ(table_.Held(kRequests), 500U);
  EXPECT_EQ(closed_, 0);
}

TEST_F(ConnectionTableTest, TakesMemoryFromTheSlowest) {
  auto *const slow = Add("10.0.0.1", State::kMoving, 2), *const slower = Add("10.0.0.2", State::kMoving, 3);
  auto* const working = Add("10.0.0.3", State::kWorking, 60);
  EXPECT_TRUE(Hold(slow, 300) && Hold(slower, 300) && Hold(working, 300));
  EXPECT_TRUE(Hold(Add("10.0.0.4", State::kMoving, 0), 400));
  EXPECT_TRUE(slower->is_evicted);
  EXPECT_FALSE(slow->is_evicted || working->is_evicted);
  EXPECT_EQ(table_.Held(kRequests), 1000U);
  EXPECT_EQ(table_.Evicted(), 1U);
}

TEST_F(ConnectionTableTest, AConnectionThatMovesIsNotSlow) {
  auto* const connection = Add("10.0.0.1", State::kMoving, 5);
  connection->Move(ConnectionTable::kMoved - 1);
  EXPECT_LT(connection->since, now_);
  connection->Move(1);
  EXPECT_GE(connection->since, now_);
}

TEST_F(ConnectionTableTest, AnswersAreHeldEvenIfNoSlowReaderMakesRoom) {
  auto* const fast = Add("10.0.0.1", State::kMoving, 0);
  EXPECT_TRUE(Hold(fast, 5000, kAnswers));
  EXPECT_TRUE(Hold(Add("10.0.0.2", State::kMoving, 0), 400));  // bodies have memory of their own
  fast->since = now_ - std::chrono::seconds(2);
  EXPECT_TRUE(Hold(Add("10.0.0.2", State::kMoving, 0), 400, kAnswers));
  EXPECT_TRUE(fast->is_evicted);
  EXPECT_EQ(table_.Held(kAnswers), 400U);
}

TEST(ClientNetworkTest, IsTheAddressOrTheNetworkOfOneClient) {
  EXPECT_EQ(ClientNetwork("192.0.2.7"), "192.0.2.7");
  EXPECT_EQ(ClientNetwork("::ffff:192.0.2.7"), "192.0.2.7");
  EXPECT_EQ(ClientNetwork("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::");
  EXPECT_EQ(ClientNetwork("fe80::1%eth0"), "fe80::");
  EXPECT_EQ(ClientNetwork(""), "");
}

}  // namespace
}  // namespace sparkprof
