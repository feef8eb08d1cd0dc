// SPDX-License-Identifier: Apache-2.0
#include "formats/otlp/otlp_dictionary.h"

#include "formats/protobuf_profile.h"

namespace sparkprof {
namespace {

OtlpLocation ReadLocation(MessageReader message) {
  OtlpLocation location;
  ReadFields(
      &message, location.mapping, location.address,
      [&] {
        ReadIntegers(message.get_message(),
                     {{1, &location.lines.emplace_back().function}, {2, &location.lines.back().line}});
      },
      [&] { ReadNumbers(&message, [&](uint64_t row) { location.attributes.push_back(row); }); });
  return location;
}

std::string_view ReadText(MessageReader* field) {
  const protozero::data_view text = field->get_view();
  return {text.data(), text.size()};
}

OtlpAttribute ReadAttribute(MessageReader message) {
  OtlpAttribute attribute;
  ReadFields(&message, attribute.key, [&] {
    ForEachField(message.get_message(), [&](MessageReader& value) {
      if (value.tag() == 1) {
        attribute.text = ReadText(&value);
      } else if (value.tag() == 3) {
        attribute.number = value.get_int64();
      } else if (value.tag() == 8) {
        attribute.text_row = value.get_uint64();
      } else {
        value.skip();
      }
    });
  });
  return attribute;
}

std::vector<uint64_t> ReadStack(MessageReader message) {
  std::vector<uint64_t> locations;
  ReadFields(&message, [&] { ReadNumbers(&message, [&](uint64_t row) { locations.push_back(row); }); });
  return locations;
}

}  // namespace

void OtlpDictionary::Read(MessageReader message) {
  ReadFields(
      &message,
      [&] {
        ReadIntegers(message.get_message(), {{4, &mappings.emplace_back()}});
      },
      [&] { locations.push_back(ReadLocation(message.get_message())); },
      [&] {
        ReadIntegers(message.get_message(), {{1, &functions.emplace_back().name}, {3, &functions.back().file}});
      },
      [&] { message.skip(); }, [&] { strings.push_back(ReadText(&message)); },
      [&] { attributes.push_back(ReadAttribute(message.get_message())); },
      [&] { stacks.push_back(ReadStack(message.get_message())); });
}

}  // namespace sparkprof
