// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <zip.h>
#include <zstd.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/testing/folder_test.h"
#include "inputs/inputs.h"

namespace sparkprof {

inline constexpr char kLogLine[] = "26/11/21 16:35:51 INFO SparkContext: Running Spark version 4.1.1\n";

inline std::string EventLine(int number) {
  return "{\"Event\":\"SparkListenerJobStart\",\"Job ID\":" + std::to_string(number) + "}\n";
}

inline std::string StartLine(const std::string& id) {
  return "{\"Event\":\"SparkListenerApplicationStart\",\"App Name\":\"a\",\"App ID\":\"" + id + "\",\"Timestamp\":1}\n";
}

inline std::string Zstd(std::string_view text) {
  std::string frame(ZSTD_compressBound(text.size()), '\0');
  frame.resize(ZSTD_compress(frame.data(), frame.size(), text.data(), text.size(), 1));
  return frame;
}

class InputsTest : public FolderTest {
 protected:
  void WriteZip(const std::string& name, const std::vector<std::pair<std::string, std::string>>& files) {
    int error = 0;
    zip_t* const zip = zip_open(Path(name).c_str(), ZIP_CREATE | ZIP_TRUNCATE, &error);
    ASSERT_NE(zip, nullptr);
    for (const auto& [file, content] : files) {
      zip_source_t* const source = zip_source_buffer(zip, content.data(), content.size(), 0);
      ASSERT_GE(zip_file_add(zip, file.c_str(), source, 0), 0);
    }
    ASSERT_EQ(zip_close(zip), 0);
  }

  Inputs Find(const InputLimits& limits = {}) {
    Result<Inputs> inputs = FindInputs({folder_}, limits);
    EXPECT_TRUE(inputs.has_value());
    return inputs ? *inputs : Inputs();
  }

  Input One(const InputLimits& limits = {}) {
    Inputs inputs = Find(limits);
    EXPECT_EQ(inputs.inputs.size(), 1u);
    return inputs.inputs.empty() ? Input() : inputs.inputs[0];
  }

  static std::string Content(const Input& input, std::string* error = nullptr) {
    Result<std::unique_ptr<ByteSource>> source = input.Open();
    if (!source) return "cannot open: " + source.error().message;
    std::optional<Error> ended;
    std::string content = ReadUpTo(source->get(), 1 << 20, &ended);
    if (error != nullptr && ended) *error = ended->message;
    return content;
  }
};

}  // namespace sparkprof
