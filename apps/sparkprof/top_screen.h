// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <termios.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/file.h"

namespace sparkprof {

// The terminal while `top` runs: each picture replaces the one before, and keys arrive without Enter. The destructor
// restores the screen.
class TopScreen {
 public:
  TopScreen();
  ~TopScreen();
  TopScreen(const TopScreen&) = delete;
  TopScreen& operator=(const TopScreen&) = delete;

  size_t Height() const;
  // Replaces the picture.
  void Show(const std::vector<std::string>& lines) const;

  static constexpr char kNoKey = 0, kQuit = 'q', kResized = 1;
  // The next key; kNoKey after `wait_ns`, kQuit also for Ctrl-C and signals that end the program. Calls `meanwhile`
  // every 50 ms.
  char WaitForKey(int64_t wait_ns, const std::function<void()>& meanwhile) const;

 private:
  char ReadKey() const;

  termios before_{};
  FileDescriptor signals_;
};

}  // namespace sparkprof
