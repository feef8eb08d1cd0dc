// SPDX-License-Identifier: Apache-2.0
#include "formats/otlp/otlp_dictionary.h"

#include "formats/protobuf_profile.h"

namespace sparkprof {
namespace {

OtlpLocation ReadLocation(const MessageReader& message) {
  OtlpLocation location;
  ForEachField(message, [&](MessageReader& field) {
    switch (field.tag()) {
      case 1:
        location.mapping = field.get_uint64();
        break;
      case 2:
        location.address = field.get_uint64();
        break;
      case 3:
        ReadIntegers(field.get_message(),
                     {{1, &location.lines.emplace_back().function}, {2, &location.lines.back().line}});
        break;
      case 4:
        ReadNumbers(&field, [&](uint64_t row) { location.attributes.push_back(row); });
        break;
      default:
        field.skip();
    }
  });
  return location;
}

std::string_view ReadText(MessageReader* field) {
  const protozero::data_view text = field->get_view();
  return {text.data(), text.size()};
}

OtlpAttribute ReadAttribute(const MessageReader& message) {
  OtlpAttribute attribute;
  ForEachField(message, [&](MessageReader& field) {
    if (field.tag() == 1) {
      attribute.key = field.get_uint64();
    } else if (field.tag() == 2) {
      ForEachField(field.get_message(), [&](MessageReader& value) {
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
    } else {
      field.skip();
    }
  });
  return attribute;
}

std::vector<uint64_t> ReadStack(const MessageReader& message) {
  std::vector<uint64_t> locations;
  ForEachField(message, [&](MessageReader& field) {
    if (field.tag() == 1) {
      ReadNumbers(&field, [&](uint64_t row) { locations.push_back(row); });
    } else {
      field.skip();
    }
  });
  return locations;
}

}  // namespace

void OtlpDictionary::Read(const MessageReader& message) {
  ForEachField(message, [&](MessageReader& field) {
    switch (field.tag()) {
      case 1:
        ReadIntegers(field.get_message(), {{4, &mappings.emplace_back()}});
        break;
      case 2:
        locations.push_back(ReadLocation(field.get_message()));
        break;
      case 3:
        ReadIntegers(field.get_message(), {{1, &functions.emplace_back().name}, {3, &functions.back().file}});
        break;
      case 5:
        strings.push_back(ReadText(&field));
        break;
      case 6:
        attributes.push_back(ReadAttribute(field.get_message()));
        break;
      case 7:
        stacks.push_back(ReadStack(field.get_message()));
        break;
      default:
        field.skip();
    }
  });
}

}  // namespace sparkprof
