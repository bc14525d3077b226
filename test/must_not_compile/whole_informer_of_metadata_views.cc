// error: no matching (member )?function for call to .*For|constraints
#include <kinformer/informer/shared_informer_factory.h>
#include <kinformer/views/core_v1.h>

using kinformer::core::v1::Pod;

void Make(kinformer::SharedInformerFactory& factory) {
#ifdef WRONG
  (void)factory.For<kinformer::MetadataOf<Pod>>();
#else
  (void)factory.ForMetadata<Pod>();
#endif
}
