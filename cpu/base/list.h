/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Lists whose nodes are members of what is in them: adding and removing take the same time however
 * long a list is. A node that is zeroed is in no list. The caller holds the lock of the list.
 */
#ifndef CPU_LIST_H
#define CPU_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "asserts.h"

struct list_node {
	struct list_node *next, **link; /* @link: what points to this node; NULL: in no list */
};

/* The object of @type whose member @member is *@node; NULL for NULL. */
#define LIST_OBJECT(node, type, member) \
	((type *)((node) ? (char *)(node) - offsetof(type, member) : NULL))

static inline bool list_has(const struct list_node *node)
{
	return node->link;
}

/* Adds @node, which is in no list, at the beginning of *@head. */
static inline void list_add(struct list_node **head, struct list_node *node)
{
	ASSERT(!node->link && (!*head || (*head)->link == head));
	node->next = *head;
	node->link = head;
	if (*head)
		(*head)->link = &node->next;
	*head = node;
}

/* Removes @node from its list; nothing when it is in none. */
static inline void list_remove(struct list_node *node)
{
	if (!node->link)
		return;
	ASSERT(*node->link == node && (!node->next || node->next->link == &node->next));
	*node->link = node->next;
	if (node->next)
		node->next->link = node->link;
	node->next = NULL;
	node->link = NULL;
}

#endif
