// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "model/segment/message_reader.h"

namespace sparkprof {

struct OtlpLine {
  uint64_t function = 0, line = 0;
};

struct OtlpLocation {
  uint64_t mapping = 0;
  uint64_t address = 0;
  std::vector<OtlpLine> lines;  // leaf first
  std::vector<uint64_t> attributes;
};

struct OtlpFunction {
  uint64_t name = 0, file = 0;
};

struct OtlpAttribute {
  uint64_t key = 0;
  std::string_view text;
  uint64_t text_row = 0;  // instead of `text`, if not 0
  int64_t number = 0;
};

// The tables that the profiles of one message refer to by row; a row may be out of range. Texts are views of the
// message.
struct OtlpDictionary {
  std::vector<std::string_view> strings;
  std::vector<uint64_t> mappings;  // rows of file names
  std::vector<OtlpLocation> locations;
  std::vector<OtlpFunction> functions;
  std::vector<OtlpAttribute> attributes;
  std::vector<std::vector<uint64_t>> stacks;  // locations, leaf first

  // Appends the rows of a message ProfilesDictionary. Throws protozero::exception where it is damaged, and keeps the
  // rows before.
  void Read(MessageReader message);

  std::string_view Text(uint64_t row) const { return row < strings.size() ? strings[row] : std::string_view(); }
  std::string_view TextOf(const OtlpAttribute& attribute) const {
    return attribute.text_row != 0 ? Text(attribute.text_row) : attribute.text;
  }
};

}  // namespace sparkprof
