// SPDX-License-Identifier: Apache-2.0
#include "http_server/connection_table.h"

#include <iterator>
#include <utility>

namespace sparkprof {

ConnectionTable::Connection* ConnectionTable::Add(std::string network, std::function<void()> close) {
  Connection& connection = connections_.emplace_back();
  connection.place_ = std::prev(connections_.end());
  connection.client = network;
  connection.close_ = std::move(close);
  ++networks_[network];
  connection.network_ = std::move(network);
  return &connection;
}

void ConnectionTable::Remove(Connection* connection) {
  Release(connection, ConnectionMemory::kRequests);
  Release(connection, ConnectionMemory::kAnswers);
  const auto network = networks_.find(connection->network_);
  if (--network->second == 0) networks_.erase(network);
  connections_.erase(connection->place_);
}

void ConnectionTable::Evict(Connection* connection) {
  connection->is_evicted = true;
  ++evicted_;
  Release(connection, ConnectionMemory::kRequests);
  Release(connection, ConnectionMemory::kAnswers);
  connection->close_();
}

bool ConnectionTable::MakeRoom(Clock::time_point now) {
  Connection* found = nullptr;
  size_t most = 0;
  for (Connection& connection : connections_) {
    if (connection.is_evicted || connection.state != State::kIdle) continue;
    const size_t count = networks_.find(connection.network_)->second;
    if (found != nullptr && (count < most || (count == most && connection.since >= found->since))) continue;
    found = &connection;
    most = count;
  }
  const bool has_idle = found != nullptr;
  for (Connection& connection : connections_) {
    if (has_idle) break;
    if (connection.is_evicted || connection.state != State::kMoving || now - connection.since < kSlow) continue;
    if (found == nullptr || connection.since < found->since) found = &connection;
  }
  if (found == nullptr) return false;
  Evict(found);
  return true;
}

uint64_t ConnectionTable::HeldBy(const std::string& client, size_t memory) const {
  const auto found = clients_[memory].find(client);
  return found == clients_[memory].end() ? 0 : found->second;
}

bool ConnectionTable::Reclaim(size_t memory, const std::string* client, const Connection* but, Clock::time_point now) {
  Connection* found = nullptr;
  for (Connection& connection : connections_) {
    if (&connection == but || connection.held_[memory] == 0 || connection.state != State::kMoving) continue;
    if (now - connection.since < kSlow || (client != nullptr && connection.client != *client)) continue;
    if (found == nullptr || connection.since < found->since) found = &connection;
  }
  if (found == nullptr) return false;
  Evict(found);
  return true;
}

bool ConnectionTable::Hold(Connection* connection, ConnectionMemory memory, uint64_t bytes, Clock::time_point now) {
  const auto index = static_cast<size_t>(memory);
  const bool may_refuse = memory == ConnectionMemory::kRequests;
  while (HeldBy(connection->client, index) + bytes > limits_[index] / 2) {
    if (Reclaim(index, &connection->client, connection, now)) continue;
    if (may_refuse) return false;
    break;
  }
  while (held_[index] + bytes > limits_[index]) {
    if (Reclaim(index, nullptr, connection, now)) continue;
    if (may_refuse) return false;
    break;
  }
  connection->held_[index] += bytes;
  clients_[index][connection->client] += bytes;
  held_[index] += bytes;
  return true;
}

void ConnectionTable::Release(Connection* connection, ConnectionMemory memory) {
  const auto index = static_cast<size_t>(memory);
  const uint64_t bytes = std::exchange(connection->held_[index], 0);
  if (bytes == 0) return;
  held_[index] -= bytes;
  const auto client = clients_[index].find(connection->client);
  client->second -= bytes;
  if (client->second == 0) clients_[index].erase(client);
}

}  // namespace sparkprof
