"""Expenses, bills, invoices, subscriptions, refunds, income."""
