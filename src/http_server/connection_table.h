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

// Memory of connections: bodies of requests, and answers that are sent.
enum class ConnectionMemory : uint8_t { kRequests, kAnswers };

// The connections of a server and the memory that they hold. Decides which one is closed when there are too many or
// when memory is short. Not thread-safe.
class ConnectionTable {
 public:
  using Clock = std::chrono::steady_clock;

  enum class State : uint8_t {
    kIdle,     // waits for a request, or for the end of the TLS handshake
    kMoving,   // receives a body or sends an answer
    kWorking,  // waits for its answer
  };

  class Connection {
   public:
    State state = State::kIdle;
    // kIdle: the last request's end; kMoving: when the last kMoved bytes had been moved.
    Clock::time_point since = Clock::now();
    std::string client;  // shares memory with its other connections; its network until a request tells more
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

  // Connections that move less in a second are slow: they are closed when another one needs memory or their place.
  static constexpr uint64_t kMoved = 64 << 10;
  static constexpr std::chrono::seconds kSlow{1};

  ConnectionTable(uint64_t max_request_bytes, uint64_t max_answer_bytes)
      : limits_{max_request_bytes, max_answer_bytes} {}

  // `close` ends the connection soon; the owner calls Remove then, as always.
  Connection* Add(std::string network, std::function<void()> close);
  void Remove(Connection* connection);
  size_t Size() const { return connections_.size(); }

  // Closes the longest idle connection of the network that has the most, else the slowest one. False: all wait for
  // their answers.
  bool MakeRoom(Clock::time_point now = Clock::now());

  // Whether the connection may hold so many bytes more: all may hold the limit, a client half of it. Closes slow
  // connections for that. Answers are there already, and always held.
  bool Hold(Connection* connection, ConnectionMemory memory, uint64_t bytes, Clock::time_point now = Clock::now());
  void Release(Connection* connection, ConnectionMemory memory);
  uint64_t Held(ConnectionMemory memory) const { return held_[static_cast<size_t>(memory)]; }
  uint64_t Evicted() const { return evicted_; }

 private:
  uint64_t HeldBy(const std::string& client, size_t memory) const;
  // Closes the slowest connection that holds memory, of this client if there is one, but not `but`.
  bool Reclaim(size_t memory, const std::string* client, const Connection* but, Clock::time_point now);
  void Evict(Connection* connection);

  const std::array<uint64_t, 2> limits_;
  std::list<Connection> connections_;
  std::map<std::string, size_t> networks_;  // connections of each
  std::array<std::map<std::string, uint64_t>, 2> clients_;
  std::array<uint64_t, 2> held_ = {};
  uint64_t evicted_ = 0;
};

}  // namespace sparkprof
