// SPDX-License-Identifier: Apache-2.0
#include "native_codes.h"

#include <cstring>

#include "base/hash_index.h"

namespace sparkprof {
namespace {

constexpr uint64_t kUnknownKey = 1;  // no code has this address

}  // namespace

uint32_t NativeCodes::Find(const NativeFrame& frame, RingWriter* ring) {
  const bool is_known = frame.object != nullptr;
  const uint64_t address = frame.function != 0 ? frame.function : frame.pc;
  const uint64_t key = is_known ? address : kUnknownKey;
  size_t slot = MixHash(key) % kCodes;
  while (keys_[slot] != 0 && keys_[slot] != key) slot = (slot + 1) % kCodes;
  const auto code = static_cast<uint32_t>(kFirst + slot);
  if (keys_[slot] == key) return code;
  keys_[slot] = key;
  ++used_;
  ++fresh_;
  ring->AddNativeCode(code, is_known ? address - frame.object->bias : 0, is_known ? frame.object->path : "");
  return code;
}

void NativeCodes::Clear() {
  std::memset(keys_, 0, sizeof keys_);
  used_ = fresh_ = 0;
  ++generation_;
}

}  // namespace sparkprof
