// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <string>
#include <string_view>

namespace sparkprof {

// Memory of connections: request bodies, and answers being sent.
enum class ConnectionMemory : uint8_t { kRequests, kAnswers };

// The connections of a server and the memory that they hold. Decides which connection to close if there are too many or
// memory is short. Not thread-safe.
class ConnectionTable {
 public:
  using Clock = std::chrono::steady_clock;

  enum class State : uint8_t {
    kIdle,     // waiting for a request, or for the end of the TLS handshake
    kMoving,   // receiving a body or sending an answer
    kWorking,  // waiting for its answer
  };

  class Connection {
   public:
    State state = State::kIdle;
    // kIdle: end of the last request; kMoving: time when the last kMoved bytes had been moved.
    Clock::time_point since = Clock::now();
    std::string
        client;  // shares memory with the client's other connections; the network until a request identifies the client
    bool is_evicted = false;

    void Change(State next) {
      state = next;
      moved_ = 0;
      since = Clock::now();
    }
    void Move(uint64_t bytes) {
      moved_ += bytes;
      if (moved_ >= kMoved) Change(state);
    }

   private:
    friend class ConnectionTable;
    std::string network_;
    std::array<uint64_t, 2> held_ = {};
    uint64_t moved_ = 0;
    std::function<void()> close_;
    std::list<Connection>::iterator place_;
  };

  // Connections that move less per second are slow: they are closed when another one needs memory or their place.
  static constexpr uint64_t kMoved = 64 << 10;
  static constexpr std::chrono::seconds kSlow{1};

  ConnectionTable(uint64_t max_request_bytes, uint64_t max_answer_bytes)
      : limits_{max_request_bytes, max_answer_bytes} {}

  // `close` must end the connection soon; the owner then calls Remove.
  Connection* Add(std::string network, std::function<void()> close);
  void Remove(Connection* connection);
  size_t Size() const { return connections_.size(); }

  // Closes the longest idle connection of the network with the most connections, else the slowest one. Returns false if
  // all wait for their answers.
  bool MakeRoom(Clock::time_point now = Clock::now());

  // Whether the connection may hold `bytes` more: the limit applies to all, half of it to one client. Closes slow
  // connections to make room. Answers exist already, so they are always accepted.
  bool Hold(Connection* connection, ConnectionMemory memory, uint64_t bytes, Clock::time_point now = Clock::now());
  void Release(Connection* connection, ConnectionMemory memory);
  uint64_t Held(ConnectionMemory memory) const { return held_[static_cast<size_t>(memory)]; }
  uint64_t Evicted() const { return evicted_; }

 private:
  uint64_t HeldBy(const std::string& client, size_t memory) const;
  // Closes the slowest connection with memory except `but`; only of `client` unless null.
  bool Reclaim(size_t memory, const std::string* client, const Connection* but, Clock::time_point now);
  void Evict(Connection* connection);

  const std::array<uint64_t, 2> limits_;
  std::list<Connection> connections_;
  std::map<std::string, size_t> networks_;  // number of connections per network
  std::array<std::map<std::string, uint64_t>, 2> clients_;
  std::array<uint64_t, 2> held_ = {};
  uint64_t evicted_ = 0;
};

}  // namespace sparkprof
