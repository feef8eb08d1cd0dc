// SPDX-License-Identifier: Apache-2.0
#include "model/engines.h"

#include <algorithm>
#include <iterator>

namespace sparkprof {
namespace {

// By the engines' sources: Comet 1.2 (spark/src/main/scala/org/apache/comet/Native.scala), Auron 6
// (org/apache/auron/jni/JniBridge.java), Gluten 1.4 (org/apache/gluten/vectorized/ColumnarBatchOutIterator.java).
constexpr std::string_view kWaits[] = {
    "org.apache.comet.Native.executePlan",
    "org.apache.auron.jni.JniBridge.nextBatch",
    "org.apache.spark.sql.blaze.JniBridge.nextBatch",
    "org.apache.gluten.vectorized.ColumnarBatchOutIterator.nativeHasNext",
    "org.apache.gluten.vectorized.ColumnarBatchOutIterator.nativeNext",
};

// Rust's symbols may begin with "<" ("<tokio::runtime::…>::run").
constexpr std::string_view kCode[] = {"tokio::", "comet::", "datafusion", "auron::", "blaze::", "facebook::velox"};

}  // namespace

bool IsEngineWait(std::string_view frame) {
  return std::find(std::begin(kWaits), std::end(kWaits), frame) != std::end(kWaits);
}

bool IsEngineCode(const Frame& frame, std::string_view name) {
  if (frame.kind != FrameKind::kNative) return false;
  if (name.starts_with('<')) name.remove_prefix(1);
  return std::any_of(std::begin(kCode), std::end(kCode), [&](std::string_view code) { return name.starts_with(code); });
}

}  // namespace sparkprof
